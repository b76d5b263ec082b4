// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/math_libraries.hpp>

#include <string_view>
#include <tuple>

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <jit/llvm/machine.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

constexpr const char* library_of_variants = "libsleef.so.3";

/// NEON has registers of one length. Longer vectors are several of them.
constexpr int neon_bytes = 16;

/// The letter by which the platform's rules for names of vector functions distinguish register
/// sets; 0: there are no vector functions for such registers.
char letter_of(const TargetInfo& target, int bytes) {
  if (is_arm(target)) return 'n';
  if (!target.triple.starts_with("x86_64")) return '\0';
  if (bytes == 32) return has_feature(target.features, "avx2") ? 'd' : 'c';
  return bytes == 16 ? 'b' : 'e';
}

std::string shape_of(int width, int arguments) {
  return fmt::format("_ZGV_LLVM_N{}{}", width, std::string(arguments, 'v'));
}

/// @param arguments  of the function, 1 or 2
std::string vector_name(char letter, int width, int arguments, const std::string& name) {
  return fmt::format("_ZGV{}N{}{}_{}", letter, width, std::string(arguments, 'v'), name);
}

void add_fast(std::vector<VectorFunction>& functions, const TargetInfo& target,
              const std::string& name, int arguments) {
  for (const auto& [size, suffix, type] : {std::tuple(8, "", "f64"), {4, "f", "f32"}})
    for (int bytes = 16; bytes <= target.vector_bytes; bytes *= 2) {
      const char letter = letter_of(target, bytes);
      const int width = bytes / size, of_library = (is_arm(target) ? neon_bytes : bytes) / size;
      const std::string library = vector_name(letter, of_library, arguments, name + suffix);
      if (letter == '\0' || vector_function(library) == nullptr) continue;
      for (const std::string& scalar : {name + suffix, fmt::format("llvm.{}.{}", name, type)})
        functions.push_back({scalar, vector_name(letter, width, arguments, name + suffix), width,
                             shape_of(width, arguments), library, of_library});
    }
}

/// As in names of the variants; empty: there are none for such registers.
std::string_view family_of(const TargetInfo& target, int bytes) {
  if (is_arm(target))
    return has_fixed_sve(target) && bytes == target.vector_bytes ? "svenofma" : "advsimdnofma";
  if (!target.triple.starts_with("x86_64")) return "";
  if (bytes == 16) return has_feature(target.features, "sse4.1") ? "sse4" : "sse2";
  return bytes == 32 ? "avx" : "avx512fnofma";
}

/// The bytes of a vector that a function of the family takes; 0: those of a register.
int bytes_of_family(std::string_view family, int bytes) {
  return family == "svenofma" ? 0 : family == "advsimdnofma" ? neon_bytes : bytes;
}

/// @param type  'd' for double, 'f' for float
void add_consistent(std::vector<VectorFunction>& functions, const TargetInfo& target,
                    const ConsistentFunction& function, char type, int bytes) {
  const std::string_view family = family_of(target, bytes);
  const int size = type == 'd' ? 8 : 4;
  const int width = bytes / size, of_library = bytes_of_family(family, bytes) / size;
  const std::string library = consistent_name(function, type, of_library, family);
  if (family.empty() || consistent_function(library) == nullptr) return;
  functions.push_back({consistent_name(function, type),
                       consistent_name(function, type, width, family), width,
                       shape_of(width, function.arguments), library, of_library});
}

}  // namespace

void* vector_function(const std::string& name) {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW);  // stays for the process's life
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

std::string vector_math_of(const TargetInfo& target) {
  const auto functions = fast_vector_functions(target);
  if (functions.empty()) return "";
  std::string names;
  for (const VectorFunction& function : functions) names += function.vector + '\n';
  return fmt::format("libmvec {:016x} ", llvm::xxh3_64bits(names));
}

std::vector<VectorFunction> fast_vector_functions(const TargetInfo& target) {
  std::vector<VectorFunction> functions;
  for (const char* name : unary_functions) add_fast(functions, target, name, 1);
  for (const char* name : binary_functions) add_fast(functions, target, name, 2);
  return functions;
}

std::vector<VectorFunction> consistent_vector_functions(const TargetInfo& target) {
  std::vector<VectorFunction> functions;
  for (const ConsistentFunction& function : consistent_functions)
    for (int bytes = 16; bytes <= target.vector_bytes; bytes *= 2) {
      add_consistent(functions, target, function, 'd', bytes);
      add_consistent(functions, target, function, 'f', bytes);
    }
  return functions;
}

void* loaded_consistent_library() {
  static void* const library = dlopen(library_of_variants, RTLD_NOW | RTLD_LOCAL);  // stays
  return library;
}

void* consistent_function(const std::string& symbol) {
  void* library = loaded_consistent_library();
  return library == nullptr ? nullptr : dlsym(library, symbol.c_str());
}

std::string missing_consistent_function(const std::string& symbol) {
  const void* library = dlopen(library_of_variants, RTLD_NOW | RTLD_LOCAL);
  const char* reason = library == nullptr ? dlerror() : "its version does not have the function";
  return fmt::format(
      "it calls '{}', which has the same bits on all processors (OP2_REPRODUCIBLE=on) only in {}: "
      "{}; install SLEEF 3.5 or newer (Debian: libsleef3)",
      plain_name(symbol), library_of_variants, reason);
}

}  // namespace op2::jit
