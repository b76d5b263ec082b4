// SPDX-License-Identifier: BSD-3-Clause
// Compiles so that the process outlives a failure of the compiler.
#include <jit/llvm/compiler.hpp>

#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <pthread.h>

#include <fmt/format.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include <core/clock.hpp>
#include <jit/llvm/compile_clang.hpp>
#include <jit/plugin_version.hpp>

namespace op2::jit {
namespace {

constexpr std::size_t stack_bytes =
    std::size_t{64} << 20;  // deeply nested source costs stack; only touched pages cost memory

/// Keeps the last message of LLVM before it gives up.
struct Recovery : llvm::CrashRecoveryContext {
  std::string reason;
};

/// Runs `work` on a thread with a large stack, and waits for it. LLVM's own threads end the process
/// if they cannot be started.
/// @return 0, or the number of the error if there is no thread to be had
int run_on_thread(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  pthread_t thread{};
  const int refusal =
      pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (refusal == 0) pthread_join(thread, nullptr);
  return refusal;
}

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
    if (!enter()) {
      result.message = "the compiler failed on another kernel before, and cannot be used any more";
      return result;
    }
    std::int32_t unit = 0;
    bool survived = true, is_orderly = true;
    std::string reason;
    const int refusal = run_on_thread([&] {
      Recovery recovery;
      survived =
          recovery.RunSafely([&] { result = compile_loop(machine_, kernels_, request, unit); });
      is_orderly = survived || !recovery.reason.empty();
      reason = is_orderly ? recovery.reason : fmt::format("signal or exit {}", recovery.RetCode);
    });
    leave(is_orderly);
    if (refusal != 0) {
      result.status = CompileStatus::no_thread;
      result.message = std::strerror(refusal);
    } else if (!survived) {
      result = {};
      result.unit = unit;
      result.message = reason;
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
