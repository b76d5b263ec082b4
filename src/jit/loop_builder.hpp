// SPDX-License-Identifier: BSD-3-Clause
// Makes the code of one loop: from disk if it is there and links, else with the compiler.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <core/log.hpp>
#include <core/trace.hpp>
#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/disk_cache.hpp>
#include <jit/jit.hpp>
#include <jit/loop_job.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// What became of a loop.
struct Product {
  Built built;
  CacheEntry entry;  ///< if there is code: its object, without the sources that only people read
};

/// Thread safe, as its parts are. All loops that one builder makes share one
/// deadline for waiting on other processes.
class LoopBuilder {
 public:
  LoopBuilder(const JitOptions& options, Target& target, DiskCache& disk, core::Log& log,
              std::vector<Constant> declared)
      : options_(options),
        target_(target),
        disk_(disk),
        log_(log),
        declared_(std::move(declared)),
        deadline_(disk.deadline()) {}

  /// The product has code.
  /// @throws Error what compile_error makes of a rejected source; link_failure; kernel_access
  Product build(const LoopRequest& request) const;

 private:
  /// A constant that a kernel names, which only the compiler sees: macros make its name.
  struct MissingConstant {
    std::size_t call;
    ConstantShape constant;
  };
  /// Code, or the constant that has to be added to the nest first.
  struct Attempt {
    std::optional<Product> product;
    std::optional<MissingConstant> missing;
  };
  Attempt build_once(const LoopRequest& request) const;
  std::optional<Product> load(const LoopJob& job) const;
  Attempt compile(const LoopJob& job) const;
  CompileResult run_compiler(const LoopJob& job, EmittedLoop& loop) const;
  KernelContext context_of(const LoopJob& job, std::size_t call) const;
  void warn(const LoopJob& job, const CompileResult& result) const;
  void judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const;
  std::optional<MissingConstant> missing_constant(const LoopJob& job,
                                                  const CompileResult& result) const;

  const JitOptions& options_;
  Target& target_;
  DiskCache& disk_;
  core::Log& log_;
  const std::vector<Constant> declared_;
  const DiskCache::Clock::time_point deadline_;
};

}  // namespace op2::jit
