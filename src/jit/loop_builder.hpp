// SPDX-License-Identifier: BSD-3-Clause
// Makes the code of one loop: from disk if it is there and links, otherwise with the compiler.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <core/log.hpp>
#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/disk_cache.hpp>
#include <jit/jit.hpp>
#include <jit/loop_job.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// The result for a loop.
struct Product {
  Built built;
  CacheEntry entry;  ///< if there is code: its object, without the sources for display
};

/// Thread safe, as its parts are. All loops of one builder share one deadline for waiting for other
/// processes.
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

  /// The product always has code.
  /// @throws Error that of compile_error for a rejected source; link_failure; kernel_access
  Product build(const LoopRequest& request) const;

 private:
  /// A constant that a kernel names through a macro, so that only the compiler finds it.
  struct MissingConstant {
    std::size_t call;
    ConstantShape constant;
  };
  /// Code, or the constant that must first be added to the nest.
  struct Attempt {
    std::optional<Product> product;
    std::optional<MissingConstant> missing;
  };
  Attempt build_once(const LoopRequest& request) const;
  /// From disk; none if the code is not there, or damaged. @throws Error device_compiler
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
