// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/vector_math.hpp>

#include <tuple>

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <jit/llvm/math_names.hpp>

namespace op2::jit {
namespace {

/// The letter by which the platform's rules for names of vector functions distinguish register
/// sets; 0: there are no vector functions for such registers.
char letter_of(const TargetInfo& target, int bytes) {
  if (target.triple.starts_with("aarch64")) return bytes == 16 ? 'n' : '\0';
  if (!target.triple.starts_with("x86_64")) return '\0';
  const bool avx2 = (target.features + ",").find("+avx2,") != std::string::npos;
  return bytes == 16 ? 'b' : bytes == 32 ? (avx2 ? 'd' : 'c') : 'e';
}

/// @param arguments  of the function, 1 or 2
std::string vector_name(char letter, int width, int arguments, const std::string& name) {
  return fmt::format("_ZGV{}N{}{}_{}", letter, width, std::string(arguments, 'v'), name);
}

}  // namespace

void* vector_function(const std::string& name) {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW);  // stays for the process's life
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

std::string vector_math_of(const TargetInfo& target) {
  const VectorMath mathematics(target);
  if (mathematics.functions().empty()) return "";
  std::string names;
  for (const llvm::VecDesc& function : mathematics.functions())
    names += function.getVectorFnName().str() + '\n';
  return fmt::format("libmvec {:016x} ", llvm::xxh3_64bits(names));
}

VectorMath::VectorMath(const TargetInfo& target) {
  for (const char* name : unary_functions) add(target, name, 1);
  for (const char* name : binary_functions) add(target, name, 2);
}

void VectorMath::add(const TargetInfo& target, const std::string& name, int arguments) {
  for (const auto& [size, suffix, type] : {std::tuple(8, "", "f64"), {4, "f", "f32"}})
    for (int bytes = 16; bytes <= target.vector_bytes; bytes *= 2) {
      const char letter = letter_of(target, bytes);
      const int width = bytes / size;
      std::string found = vector_name(letter, width, arguments, name + suffix);
      if (letter == '\0' || vector_function(found) == nullptr) continue;
      const auto count = llvm::ElementCount::getFixed(static_cast<unsigned>(width));
      const llvm::StringRef vector = kept(std::move(found));
      const llvm::StringRef rule =
          kept(fmt::format("_ZGV_LLVM_N{}{}", width, std::string(arguments, 'v')));
      for (const std::string& scalar : {name + suffix, fmt::format("llvm.{}.{}", name, type)})
        functions_.emplace_back(kept(scalar), vector, count, false, rule);
    }
}

}  // namespace op2::jit
