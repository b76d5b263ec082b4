// SPDX-License-Identifier: BSD-3-Clause
// Makes the code of one loop: from disk if it is there and links, else with the compiler.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <core/log.hpp>
#include <core/trace.hpp>
#include <jit/backend.hpp>
#include <jit/diagnostics.hpp>
#include <jit/disk_cache.hpp>
#include <jit/jit.hpp>

namespace op2::jit {

/// Holds references only. Thread safe, as its parts are. All loops that one builder makes share one
/// deadline for waiting on other processes.
class LoopBuilder {
 public:
  LoopBuilder(const JitOptions& options, Backend& backend, DiskCache& disk, core::Log& log,
              std::span<const Constant> declared)
      : options_(options),
        backend_(backend),
        disk_(disk),
        log_(log),
        declared_(declared),
        deadline_(disk.deadline()) {}

  /// @throws Error what compile_error makes of a rejected text; link_failure
  std::unique_ptr<const CompiledLoop> build(const LoopRequest& request) const;

 private:
  struct Job;
  /// Code, or the constant that has to be added to the shape first.
  struct Attempt {
    std::unique_ptr<const CompiledLoop> loop;
    std::optional<ConstantShape> missing;
  };
  Job prepare(const LoopRequest& request) const;
  Attempt build_once(const LoopRequest& request) const;
  std::unique_ptr<CompiledLoop> load(const Job& job) const;
  Attempt compile(const Job& job) const;
  CompileResult run_compiler(const Job& job) const;
  CompiledText told_of(const Job& job) const;
  std::optional<ConstantShape> missing_constant(const Job& job, const CompileResult& result) const;

  const JitOptions& options_;
  Backend& backend_;
  DiskCache& disk_;
  core::Log& log_;
  std::span<const Constant> declared_;
  const DiskCache::Clock::time_point deadline_;
};

}  // namespace op2::jit
