// SPDX-License-Identifier: BSD-3-Clause
// The machine to generate code for, and what compiles for it: what the two halves of the plug-in
// have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace op2::jit {

struct Machine {
  TargetInfo info;
  std::string features;  ///< every feature that is known, present or not: "+avx2,-amx-tile,..."
};

/// @param features  as in TargetInfo
/// @param name      "avx2"
inline bool has_feature(const std::string& features, const std::string& name) {
  return (features + ",").find("+" + name + ",") != std::string::npos;
}

inline bool is_arm(const TargetInfo& target) {
  return target.triple.starts_with("aarch64");
}

/// Whether code is for registers of SVE, all of which have the length of its vectors.
inline bool has_fixed_sve(const TargetInfo& target) {
  return target.features.find("sve-bits=") != std::string::npos;
}

/// Compiles for one machine. In a separate library (op2_clang): loading Clang takes as long as
/// linking a hundred cached kernels, and a warm start does not need it.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// As Backend::compile.
  virtual CompileResult compile(const CompileRequest& request) = 0;
};

/// What op2_clang exports as extern "C" `op2_jit_compiler`.
using CompilerFactory = Compiler* (*)(const Machine& machine);

/// The machine of this process, or one with the CPU named `cpu`.
/// @param message  set if nothing is returned: the CPU is unknown, or has what this machine lacks
std::optional<Machine> find_machine(const std::string& cpu, std::string& message);

/// Identifies the library of math_names.hpp that this process loads: the name of its file and
/// its build id, or its path; empty if there is none. Loads it, and reads the file.
std::string build_of_consistent_library();

// How kernels are compiled, as far as no request decides it. No Clang in it, so that a fingerprint
// is at hand without loading Clang.

/// Arguments of `clang -cc1` but for the names of files.
std::vector<std::string> clang_arguments(const Machine& machine, const Sanitizers& sanitizers);

/// The headers that kernels may include: common_headers.hpp, and those for a CPU.
std::vector<IncludedFile> shim_headers();

/// 16 hexadecimal digits that change with the headers, the flags and the rules of optimisation.
std::string toolchain_fingerprint();

}  // namespace op2::jit
