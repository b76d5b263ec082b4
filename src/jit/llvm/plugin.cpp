// SPDX-License-Identifier: BSD-3-Clause
// The plug-in's interface to libop2: links itself, and loads the compiler when it is first needed.
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

#include <jit/llvm/compiler.hpp>
#include <jit/llvm/linker.hpp>
#include <jit/llvm/machine.hpp>
#include <jit/plugin_version.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

/// @param message  set if null is returned
std::unique_ptr<Compiler> load_compiler(const Machine& machine, std::string& message) {
  const auto* const here = reinterpret_cast<const void*>(&load_compiler);
  const std::string path = library_folder(here) / "libop2_clang.so";
  const std::string exposure = exposure_of_file(path, writers_of_code(here));
  if (!exposure.empty()) {
    message = fmt::format("the compiler '{}' is not loaded, since {}; {}", path, exposure,
                          advice_on_exposure);
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    message = fmt::format("cannot load the compiler: {}", dlerror());
    return nullptr;
  }
  std::string reason;
  const auto make =
      reinterpret_cast<CompilerFactory>(find_in_plugin(library, "op2_jit_compiler", reason));
  if (make != nullptr) return std::unique_ptr<Compiler>(make(machine));
  message = fmt::format("cannot use the compiler '{}': {}", path, reason);
  return nullptr;
}

class LlvmBackend : public Backend {
 public:
  LlvmBackend(Machine machine, std::unique_ptr<Linker> linker)
      : machine_(std::move(machine)), linker_(std::move(linker)) {}

  TargetInfo target() const override { return machine_.info; }

  void prepare() override {
    std::call_once(loaded_, [this] { compiler_ = load_compiler(machine_, message_); });
  }

  CompileResult compile(const CompileRequest& request) override {
    prepare();
    if (compiler_ != nullptr) return compiler_->compile(request);
    CompileResult result;
    result.status = CompileStatus::unavailable;
    result.message = message_;
    return result;
  }

  std::string consistent_math() override {
    std::call_once(identified_, [this] { consistent_math_ = build_of_consistent_library(); });
    return consistent_math_;
  }

  LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override {
    return linker_->link(object, symbol, symbols);
  }

 private:
  const Machine machine_;
  std::unique_ptr<Linker> linker_;
  std::once_flag loaded_;
  std::string message_;  ///< why there is no compiler
  std::unique_ptr<Compiler> compiler_;
  std::once_flag identified_;
  std::string consistent_math_;
};

}  // namespace
}  // namespace op2::jit

extern "C" __attribute__((visibility("default"))) const char* op2_jit_version() {
  return op2::jit::plugin_version();
}

extern "C" __attribute__((visibility("default"))) op2::jit::Backend* op2_jit_backend(
    const char* cpu, std::string* message) {
  using namespace op2::jit;
  const auto machine = find_machine(cpu != nullptr ? cpu : "", *message);
  auto linker = machine ? make_linker(*message) : nullptr;
  return linker ? new LlvmBackend(*machine, std::move(linker)) : nullptr;
}
