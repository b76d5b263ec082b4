// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/machine.hpp>

#include <initializer_list>
#include <sstream>

#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <jit/common_headers.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

/// What -fsanitize=undefined stands for, without the checks whose reports differ between the
/// runtime libraries of GCC and Clang.
constexpr const char* undefined_checks =
    "alignment,array-bounds,bool,builtin,integer-divide-by-zero,nonnull-attribute,null,"
    "pointer-overflow,return,shift-base,shift-exponent,signed-integer-overflow,unreachable,vla-"
    "bound";

/// Changes with the rules of passes/measures.cpp, by which code becomes vector code or does not.
constexpr const char* gain_rules = "5";

// {0} is the function. Integers count as double, as in the standard library.
constexpr const char* unary_form = R"(
extern "C" double {0}(double) noexcept;
extern "C" float {0}f(float) noexcept;
inline float {0}(float x) {{ return {0}f(x); }}
template <class T> requires(__is_integral(T)) inline double {0}(T x) {{ return {0}((double)x); }}
)";

constexpr const char* binary_form = R"(
extern "C" double {0}(double, double) noexcept;
extern "C" float {0}f(float, float) noexcept;
inline float {0}(float x, float y) {{ return {0}f(x, y); }}
template <class T, class U>
  requires(__is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U) || __is_integral(T) && __is_integral(U))
inline double {0}(T x, U y) {{ return {0}((double)x, (double)y); }}
)";

/// Largest stack frame of a range function.
constexpr int max_frame_bytes = 256 * 1024;

/// Arguments that all compilations share. Aliasing is relaxed because one dat may be a long* and a
/// long long* of one kernel.
constexpr const char* fixed_flags =
    "-O3 -std=c++20 -x c++ -emit-llvm -fgnuc-version=4.2.1 -fno-rtti -ffp-contract=on "
    "-relaxed-aliasing -mrelocation-model pic -pic-level 2 -mcmodel=small -ftemplate-depth=256 "
    "-fconstexpr-steps=1000000 -fbracket-depth 256 -fwarn-stack-size={} -ferror-limit 20 "
    "-fno-caret-diagnostics -Wall -Wno-unused -Wno-unknown-pragmas -Wno-pass-failed "
    "-Werror=return-type -Werror=format -nostdsysteminc -nobuiltininc";

}  // namespace

std::vector<std::string> clang_arguments(const Machine& machine, const Sanitizers& sanitizers) {
  std::vector<std::string> list;
  const auto add = [&list](std::initializer_list<std::string> more) {
    list.insert(list.end(), more);
  };
  std::istringstream fixed(fmt::format(fixed_flags, max_frame_bytes));
  for (std::string flag; fixed >> flag;) add({flag});
  add({"-triple", machine.info.triple, "-target-cpu", machine.info.cpu});
  if (machine.info.vector_bytes > 0)
    add({fmt::format("-mprefer-vector-width={}", 8 * machine.info.vector_bytes)});
  if (has_fixed_sve(machine.info)) {
    const int parts = machine.info.vector_bytes / 16;
    add({fmt::format("-mvscale-min={}", parts), fmt::format("-mvscale-max={}", parts)});
  }
  std::istringstream features(machine.features);
  for (std::string feature; std::getline(features, feature, ',');) {
    add({"-target-feature", feature});
  }
  if (sanitizers.address) add({"-fsanitize=address"});
  if (sanitizers.thread) add({"-fsanitize=thread"});
  if (sanitizers.undefined) {
    const std::string checks = undefined_checks;
    add({"-fsanitize=" + checks, "-fsanitize-recover=" + checks});
  }
  if (sanitizers.address || sanitizers.thread) add({"-mframe-pointer=all"});
  return list;
}

std::vector<IncludedFile> shim_headers() {
  std::vector<IncludedFile> headers = common_headers();
  headers.push_back({"op2_elementary", functions_of_one_and_two(unary_form, binary_form)});
  add_headers(headers, "cpu");
  return headers;
}

std::string toolchain_fingerprint() {
  std::string all =
      fmt::format("{}\n{}\n{}\n{}\n", gain_rules, fixed_flags, max_frame_bytes, undefined_checks);
  for (const auto& function : consistent_functions) all += consistent_name(function, 'd') + '\n';
  for (const auto& header : shim_headers()) all += header.name + '\n' + header.text + '\n';
  return fmt::format("{:016x}", llvm::xxh3_64bits(all));
}

}  // namespace op2::jit
