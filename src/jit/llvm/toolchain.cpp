// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/toolchain.hpp>

#include <initializer_list>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Support/xxhash.h>

#include <jit/consistent_names.hpp>
#include <jit/llvm/standard_headers.hpp>

namespace op2::jit {
namespace {

/// What -fsanitize=undefined stands for, without the checks whose reports differ between the
/// runtime libraries of GCC and Clang.
constexpr const char* undefined_checks =
    "alignment,array-bounds,bool,builtin,integer-divide-by-zero,nonnull-attribute,null,"
    "pointer-overflow,return,shift-base,shift-exponent,signed-integer-overflow,unreachable,vla-"
    "bound";

/// Changes with the rules of simd_gain.hpp, by which code becomes vector code or does not.
constexpr const char* gain_rules = "4";

/// Arguments that all compilations share.
std::vector<std::string> fixed_flags() {
  return {"-O3",
          "-std=c++20",
          "-x",
          "c++",
          "-emit-llvm",
          "-fgnuc-version=4.2.1",
          "-fno-rtti",
          "-ffp-contract=on",
          "-relaxed-aliasing",  // one dat may be a long* and a long long* of one kernel
          "-mrelocation-model",
          "pic",
          "-pic-level",
          "2",
          "-mcmodel=small",
          "-ftemplate-depth=256",
          "-fconstexpr-steps=1000000",
          "-fbracket-depth",
          "256",
          fmt::format("-fwarn-stack-size={}", max_frame_bytes),
          "-ferror-limit",
          "20",
          "-fno-caret-diagnostics",
          "-Wall",
          "-Wno-unused",
          "-Wno-unknown-pragmas",
          "-Wno-pass-failed",
          "-Werror=return-type",
          "-Werror=format",
          "-nostdsysteminc",
          "-nobuiltininc"};
}

}  // namespace

std::vector<std::string> clang_arguments(const Machine& machine, const Sanitizers& sanitizers) {
  auto list = fixed_flags();
  const auto add = [&list](std::initializer_list<std::string> more) {
    list.insert(list.end(), more);
  };
  add({"-triple", machine.info.triple, "-target-cpu", machine.info.cpu});
  if (machine.info.vector_bytes > 0)
    add({fmt::format("-mprefer-vector-width={}", 8 * machine.info.vector_bytes)});
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

std::string toolchain_fingerprint() {
  std::string all =
      fmt::format("{}\n{}\n{}\n", gain_rules, fmt::join(fixed_flags(), "\n"), undefined_checks);
  for (const auto& function : consistent_functions) all += consistent_name(function, 'd') + '\n';
  for (const auto& header : shim_headers()) all += header.name + '\n' + header.text + '\n';
  return fmt::format("{:016x}", llvm::xxh3_64bits(all));
}

}  // namespace op2::jit
