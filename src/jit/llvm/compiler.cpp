// SPDX-License-Identifier: BSD-3-Clause
// Compiles so that the process outlives a failure of the compiler.
#include <jit/llvm/compiler.hpp>

#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <core/seconds_since.hpp>
#include <jit/llvm/compile_clang.hpp>
#include <jit/plugin_version.hpp>

namespace op2::jit {
namespace {

constexpr unsigned stack_bytes =
    64U << 20U;  // deeply nested source costs stack; only touched pages cost memory

/// Keeps the last message of LLVM before it gives up.
struct Recovery : llvm::CrashRecoveryContext {
  std::string reason;
};

/// Called by LLVM instead of ending the process.
void leave_compilation(void*, const char* reason, bool) {
  auto* context = llvm::CrashRecoveryContext::GetCurrent();
  if (context == nullptr) return;
  static_cast<Recovery*>(context)->reason = reason;
  context->HandleExit(1);
}

class ClangCompiler : public Compiler {
 public:
  explicit ClangCompiler(Machine machine) : machine_(std::move(machine)) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // of inline assembly
    llvm::install_fatal_error_handler(&leave_compilation);
  }
  ~ClangCompiler() override { llvm::remove_fatal_error_handler(); }

  CompileResult compile(const CompileRequest& request) override {
    const auto start = core::Clock::now();
    CompileResult result;
    Recovery recovery;
    if (!enter()) {
      result.message = "the compiler failed on another kernel before, and cannot be used any more";
      return result;
    }
    std::int32_t unit = 0;
    const bool survived = recovery.RunSafelyOnThread(
        [&] { result = compile_loop(machine_, kernels_, request, unit); }, stack_bytes);
    leave(survived || !recovery.reason.empty());
    if (!survived) {
      result = {};
      result.unit = unit;
      result.message = recovery.reason.empty() ? fmt::format("signal or exit {}", recovery.RetCode)
                                               : recovery.reason;
    }
    result.seconds = core::seconds_since(start);
    return result;
  }

 private:
  /// Signals are caught only while something is compiled.
  bool enter() {
    const std::lock_guard lock(mutex_);
    if (failed_) return false;
    if (running_++ == 0) llvm::CrashRecoveryContext::Enable();
    return true;
  }

  void leave(bool orderly) {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) llvm::CrashRecoveryContext::Disable();
    failed_ = failed_ || !orderly;
  }

  const Machine machine_;
  ParsedKernels kernels_;
  std::mutex mutex_;
  int running_ = 0;
  bool failed_ = false;  ///< after a signal, locks inside Clang may be held for ever
};

}  // namespace
}  // namespace op2::jit

extern "C" __attribute__((visibility("default"))) const char* op2_jit_version() {
  return op2::jit::plugin_version();
}

extern "C" __attribute__((visibility("default"))) op2::jit::Compiler* op2_jit_compiler(
    const op2::jit::Machine& machine) {
  return new op2::jit::ClangCompiler(machine);
}
