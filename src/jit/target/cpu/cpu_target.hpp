// SPDX-License-Identifier: BSD-3-Clause
// The target of CPUs: C++ that the LLVM plug-in compiles to a range function.
#pragma once

#include <memory>
#include <string>

#include <core/log.hpp>
#include <core/loop_abi.hpp>
#include <core/options.hpp>
#include <jit/backend.hpp>
#include <jit/jit.hpp>
#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/target.hpp>

namespace op2::jit {

inline constexpr const char* cpu_target_name = "cpu";

class CpuTarget : public Target {
 public:
  CpuTarget(std::shared_ptr<Backend> backend, JitOptions options)
      : backend_(std::move(backend)), options_(std::move(options)) {}

  std::string name() const override { return cpu_target_name; }
  TargetInfo info() const override { return backend_->target(); }
  std::string options() const override;
  EmittedLoop emit(const LoopNest& nest) const override;
  /// Compiles scalar code instead if the compiler does not vectorise, or if that is not profitable.
  CompileResult compile(const LoopRequest& request, EmittedLoop& loop) override;
  CompileResult read_kernels(const LoopRequest& request) override;
  LinkResult load(const std::vector<std::byte>& binary, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override;
  std::shared_ptr<void> publish(const LoopRequest& request, const std::vector<std::byte>& binary,
                                const CompiledLoop& loop) override;

 private:
  CpuCodeForm form() const { return {options_.contract, options_.reproducible}; }
  CompileResult run_compiler(const LoopRequest& request, const EmittedLoop& loop) const;

  std::shared_ptr<Backend> backend_;
  const JitOptions options_;
};

/// @param log  gets a warning if vector functions are requested and the machine has none
std::shared_ptr<Target> make_cpu_target(std::shared_ptr<Backend> backend, const JitOptions& options,
                                        core::Log& log);

/// The function that executes elements [begin, end). Precondition: `code` is of this target.
core::RangeFunction range_of(const CompiledLoop& code);

}  // namespace op2::jit
