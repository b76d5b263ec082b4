// SPDX-License-Identifier: BSD-3-Clause
// Compiles the units of a loop so that the process outlives a failure of the compiler.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

#include <fmt/format.h>
#include <llvm-c/Core.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <core/clock.hpp>
#include <jit/backend.hpp>
#include <jit/llvm/codegen.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/llvm/parse_unit.hpp>

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

/// Kernels that were parsed, so that one that several loops call is parsed once. Thread safe. Two
/// threads that need a new kernel at the same time both parse it: waiting for a thread that may
/// crash could take for ever.
class ParsedKernels {
 public:
  /// All that decides what becomes of a unit.
  struct Key {
    CompileUnit unit;
    Sanitizers sanitizers;
    bool operator==(const Key&) const = default;
  };

  /// The unit in a context: what is known of it, or what `parse` makes there. Errors are not kept.
  ParsedUnit get(const Key& key, llvm::LLVMContext& context,
                 const std::function<ParsedUnit()>& parse) {
    if (const auto known = find_or_keep(key, nullptr)) return copy_of(*known, context);
    ParsedUnit parsed = parse();
    if (parsed.module == nullptr) return parsed;
    auto kernel = std::make_shared<Kernel>(Kernel{key, std::move(parsed.notes), {}});
    llvm::raw_string_ostream stream(kernel->bitcode);
    llvm::WriteBitcodeToFile(*parsed.module, stream);
    stream.flush();
    // Also the first to ask gets a copy, so that all loops get the same code.
    return copy_of(*find_or_keep(key, std::move(kernel)), context);
  }

 private:
  struct Kernel {
    Key key;
    UnitNotes notes;
    std::string bitcode;
  };

  static ParsedUnit copy_of(const Kernel& kernel, llvm::LLVMContext& context) {
    ParsedUnit copy{kernel.notes, {}, nullptr};
    auto module = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(kernel.bitcode, kernel.key.unit.kernel), context);
    if (module)
      copy.module = std::move(*module);
    else
      copy.notes.messages.push_back(error_at({}, llvm::toString(module.takeError())));
    return copy;
  }

  /// The kernel that is kept, which may be that of another thread; null if there is none.
  /// @param parsed  is kept if none is; null: nothing to keep
  std::shared_ptr<const Kernel> find_or_keep(const Key& key, std::shared_ptr<const Kernel> parsed) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(kernels_, [&](const auto& kernel) { return kernel->key == key; });
    if (found != kernels_.end()) return *found;
    if (parsed != nullptr) kernels_.push_back(parsed);
    return parsed;
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

/// Links the modules of a loop's units into one. Of a kernel's module only the function `call_name`
/// is visible to the others, so helpers and variables of equal names do not clash.
/// @param modules  of one LLVMContext, that of the loop last
/// @return null if LLVM refuses
std::unique_ptr<llvm::Module> linked_module(std::vector<std::unique_ptr<llvm::Module>> modules) {
  std::unique_ptr<llvm::Module> loop = std::move(modules.back());
  modules.pop_back();
  for (std::size_t n = 0; n < modules.size(); ++n) {
    auto& kernel = modules[n];
    llvm::internalizeModule(
        *kernel, [](const llvm::GlobalValue& value) { return value.getName() == call_name; });
    if (auto* call = kernel->getFunction(call_name)) call->setName(call_name + std::to_string(n));
    if (llvm::Linker::linkModules(*loop, std::move(kernel))) return nullptr;
  }
  return loop;
}

/// Why nothing can be compiled: the loader has found another version of LLVM than the one whose
/// headers this was built with. Empty: it has not.
std::string fault_of_llvm() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  if (major == LLVM_VERSION_MAJOR && minor == LLVM_VERSION_MINOR) return {};
  return fmt::format(
      "libop2 was built with LLVM {}, but LLVM {}.{}.{} is loaded; remove its library from "
      "LD_LIBRARY_PATH and LD_PRELOAD",
      LLVM_VERSION_STRING, major, minor, patch);
}

/// What becomes of a request, unit by unit.
class Compilation {
 public:
  Compilation(const Machine& machine, ParsedKernels& kernels, const CompileRequest& request)
      : machine_(machine), kernels_(kernels), request_(request) {
    result_.status = CompileStatus::rejected;
  }

  /// @param unit  set to the unit that is being worked on, for the case that this never returns
  CompileResult run(std::int32_t& unit) {
    for (unit = 0; unit < std::ssize(request_.units); ++unit)
      if (!parse(unit)) return std::move(result_);
    unit = 0;
    if (request_.only_facts)
      result_.status = CompileStatus::ok;
    else
      add_code();
    if (result_.status == CompileStatus::ok) result_.findings = std::move(findings_);
    return std::move(result_);
  }

 private:
  /// @return false if the unit is in error; then the result says why
  bool parse(std::int32_t number) {
    const CompileUnit& unit = request_.units[static_cast<std::size_t>(number)];
    const auto parse_it = [&] {
      ++result_.parsed;
      return parse_unit(machine_, request_.sanitizers, unit, context_);
    };
    const bool is_shared = request_.only_facts || number + 1 < std::ssize(request_.units);
    ParsedUnit parsed =
        is_shared ? kernels_.get({unit, request_.sanitizers}, context_, parse_it) : parse_it();
    if (!unit.kernel.empty()) result_.signatures.push_back(parsed.notes.parameters);
    if (parsed.fault) blame(*parsed.fault, number);
    add(std::move(parsed.notes.messages), number);
    if (parsed.fault || first_error(result_.diagnostics) != nullptr) return false;
    take(std::move(parsed), number);
    return true;
  }

  void blame(const SignatureFault& fault, std::int32_t unit) {
    result_.status = CompileStatus::wrong_signature;
    result_.message = fault.message;
    result_.unit = unit;
    result_.diagnostics.clear();
    if (fault.place) add({*fault.place}, unit);
  }

  void add(std::vector<Diagnostic> messages, std::int32_t unit) {
    for (Diagnostic& message : messages) {
      message.unit = unit;
      result_.diagnostics.push_back(std::move(message));
    }
  }

  void take(ParsedUnit parsed, std::int32_t unit) {
    modules_.push_back(std::move(parsed.module));
    for (AccessFinding& finding : parsed.notes.findings) {
      finding.call = unit;
      findings_.push_back(std::move(finding));
    }
    if (request_.only_facts) result_.facts = std::move(parsed.notes.facts);
    parsed.notes.marks.set_unit(unit);
    marks_.add(std::move(parsed.notes.marks));
  }

  void add_code() {
    const auto module = linked_module(std::move(modules_));
    if (module == nullptr) return add({error_at({}, "the kernels cannot be linked")}, 0);
    generate_code(*module, marks_, machine_, request_, result_);
    if (first_error(result_.diagnostics) == nullptr) result_.status = CompileStatus::ok;
  }

  const Machine& machine_;
  ParsedKernels& kernels_;
  const CompileRequest& request_;
  llvm::LLVMContext context_;
  CompileResult result_;
  std::vector<std::unique_ptr<llvm::Module>> modules_;
  std::vector<AccessFinding> findings_;
  SourceMarks marks_;
};

class ClangCompiler : public Compiler {
 public:
  explicit ClangCompiler(Machine machine)
      : machine_(std::move(machine)), fault_of_llvm_(fault_of_llvm()) {
    if (!fault_of_llvm_.empty()) return;
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // of inline assembly
    llvm::install_fatal_error_handler(&leave_compilation);
  }
  ~ClangCompiler() override { llvm::remove_fatal_error_handler(); }

  CompileResult compile(const CompileRequest& request) override {
    if (!fault_of_llvm_.empty())
      return failed_compilation(CompileStatus::unavailable, fault_of_llvm_);
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
      survived = recovery.RunSafely([&] {
        // A failure of LLVM itself may leave this by a long jump or a signal.
        result = Compilation(machine_, kernels_, request).run(unit);
      });
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
  const std::string fault_of_llvm_;
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
