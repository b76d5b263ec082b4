// SPDX-License-Identifier: BSD-3-Clause
// One loop for which code is made, and the last step of making it: loading.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// A request with everything that determines its code.
struct LoopJob {
  const LoopRequest& request;
  EmittedLoop loop;
  KeyFields fields;
  Key key;
  std::vector<LinkSymbol> symbols;  ///< the constants of the nest
};

/// @param request   must outlive the job
/// @param declared  every constant of the nest is among them
LoopJob prepare(const LoopRequest& request, const Target& target,
                std::span<const Constant> declared);

struct LoadedLoop {
  std::unique_ptr<CompiledLoop> loop;  ///< null if the binary cannot be loaded
  std::string message;                 ///< why not
  ErrorCode fault = ErrorCode::link_failure;
  bool is_whole = false;  ///< as in LinkResult
};

/// Loads the binary of `entry` as the code of `job`.
LoadedLoop load_loop(Target& target, const LoopJob& job, const CacheEntry& entry);

/// @param failed  what could not be loaded. @throws Error its fault; always
[[noreturn]] void fail_to_load(const LoopJob& job, const LoadedLoop& failed);

}  // namespace op2::jit
