// SPDX-License-Identifier: BSD-3-Clause
// One loop for which code is made, and the last step of making it: linking.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <jit/lanes.hpp>

namespace op2::jit {

/// A request with all that decides its code.
struct LoopJob {
  const LoopRequest& request;
  Lanes lanes;                     ///< as far as the nest decides; the compiler may refuse
  std::vector<std::string> units;  ///< emitted C++, as `emit_cpu` does
  KeyFields fields;
  Key key;
  std::vector<LinkSymbol> symbols;  ///< the constants of the nest
};

/// @param request   must outlive the job
/// @param declared  every constant of the nest is among them
LoopJob prepare(const LoopRequest& request, const TargetInfo& target, const JitOptions& options,
                std::span<const Constant> declared);

/// What the code of a nest executes at once on a machine.
Lanes lanes_for(const LoopNest& nest, const TargetInfo& target, const JitOptions& options);

struct LinkedLoop {
  std::unique_ptr<CompiledLoop> loop;  ///< null if the object does not link
  std::string message;                 ///< why not
};

/// Links the object of `entry` as the code of `job`.
LinkedLoop link_loop(Backend& backend, const LoopJob& job, const CacheEntry& entry);

/// @throws Error link_failure; always
[[noreturn]] void fail_to_link(const LoopJob& job, const std::string& message);

}  // namespace op2::jit
