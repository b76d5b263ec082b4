// SPDX-License-Identifier: BSD-3-Clause
// The code of one loop: from disk if it is there and links, from another process, or by the
// compiler.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <core/log.hpp>
#include <jit/cache_entry.hpp>
#include <jit/diagnostics.hpp>
#include <jit/disk_cache.hpp>
#include <jit/jit.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

/// A request with everything that determines its code.
struct LoopJob;

/// Thread safe, as its parts are. All loops of one maker share one deadline for waiting for other
/// processes.
class LoopMaker {
 public:
  LoopMaker(const JitOptions& options, Target& target, DiskCache& disk, core::Log& log,
            std::vector<Constant> declared)
      : options_(options),
        target_(target),
        disk_(disk),
        log_(log),
        declared_(std::move(declared)),
        deadline_(disk.deadline()) {}

  /// Always code, with its entry.
  /// @throws Error that of compile_error for a rejected source; link_failure; kernel_access
  LoopCode make(LoopRequest request) const;

 private:
  std::optional<LoopCode> find_on_disk(const LoopJob& job) const;
  CompileResult run_compiler(const LoopJob& job, EmittedLoop& loop) const;
  void read_kernels(const LoopRequest& request, CompileResult& result) const;
  KernelContext context_of(const LoopJob& job, std::size_t call) const;
  void warn(const LoopJob& job, const CompileResult& result) const;
  void judge(const LoopJob& job, const std::vector<AccessFinding>& findings) const;
  bool add_missing_constant(LoopNest& nest, const CompileResult& result) const;
  LoopCode keep(const LoopJob& job, EmittedLoop& loop, CompileResult result) const;

  const JitOptions& options_;
  Target& target_;
  DiskCache& disk_;
  core::Log& log_;
  const std::vector<Constant> declared_;
  const DiskCache::Clock::time_point deadline_;
};

/// Loads the code of a block that `serialize` made in another process. The addresses of constants
/// are those of this process.
/// @throws Error link_failure; internal: the block has no code, or that of another loop
LoopCode adopt_code(const LoopRequest& request, std::span<const std::byte> block, Target& target,
                    std::span<const Constant> declared);

/// The exception that is being handled, as the result of a loop.
LoopCode failed_code(const LoopRequest& request);

}  // namespace op2::jit
