// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of a processor, of a compilation and of loaded code. Plain structs: they
// cross the boundary to plug-ins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <core/loop_abi.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/simd.hpp>
#include <op2/error.hpp>

namespace op2::jit {

/// The machine that code is generated for.
struct TargetInfo {
  std::string triple;
  std::string cpu;          ///< LLVM's name of the CPU
  std::string features;     ///< instruction-set features, sorted, "+avx2,+fma,..."
  std::string compiler;     ///< "LLVM 19.1.7" and whatever else identifies the build
  int vector_bytes = 0;     ///< of the vectors to use; follows from CPU and features
  std::string vector_math;  ///< identifies the vector versions of functions; empty: none
  bool operator==(const TargetInfo&) const = default;
};

/// One message of the compiler.
struct Diagnostic {
  enum class Severity { error, warning, note };
  /// The subject of the message, as far as the error code or the wording depends on it.
  enum class Kind {
    other,
    unknown_symbol,
    missing_include,
    limit,
    open_bracket,  ///< a note at a bracket that is never closed
    redefinition,
    unknown_type
  };
  Severity severity = Severity::error;
  Kind kind = Kind::other;
  std::string
      file;      ///< as in the #line directives of the source, or an included file; may be empty
  int line = 0;  ///< 1-based; 0: no place
  int column = 0;
  std::string text;
  std::string source_line;  ///< the line of the place, without line break
  std::string subject;      ///< the symbol, file or bracket that `kind` is about, or empty
  std::int32_t unit = 0;    ///< of the request
  bool operator==(const Diagnostic&) const = default;
};

enum class CompileStatus {
  ok,
  rejected,         ///< `diagnostics` has at least one error
  wrong_signature,  ///< `message` tells which parameter and why; `diagnostics` may have a note that
                    ///< tells where
  crashed,          ///< the compiler failed; `message` tells what is known
  over_limit,       ///< it needed more than OP2_JIT_LIMIT allows; `message` is what and how much
  unavailable,      ///< the compiler cannot be loaded; `message` is the reason
  no_thread         ///< a thread that it needs cannot be started; `message` is the reason
};

struct CompileResult {
  CompileStatus status = CompileStatus::crashed;
  std::string message;
  std::int32_t unit = 0;                ///< that was being compiled when it failed
  std::vector<Diagnostic> diagnostics;  ///< errors, or the warnings of a successful compilation
  std::vector<std::string> signatures;  ///< parameters of each kernel as written, for display
  std::vector<std::byte> object;        ///< the binary; for a CPU, relocatable ELF
  std::string ir;                       ///< optimised LLVM IR
  std::string assembly;
  SimdChoice scalar{};  ///< if it has a reason: why the loop over lanes is not profitable vector
                        ///< code; then there is no object
  std::vector<AccessFinding> findings{};  ///< of a successful compilation
  std::vector<ParameterFacts> facts{};    ///< if only they were asked for: of each parameter, or
                                          ///< none at all
  double flops = core::unknown_flops;     ///< floating-point operations of an element
  std::int32_t parsed = 0;  ///< units that were parsed, not known from an earlier loop
  double seconds = 0;
  bool operator==(const CompileResult&) const = default;
};

/// A symbol that linked code may use, beside the mathematical functions on the plug-in's list.
struct LinkSymbol {
  std::string name;
  void* address;
};

/// Linked code; unmapped when destroyed. Must be destroyed before its target.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  virtual void* entry() const = 0;
};

struct LinkResult {
  std::unique_ptr<LinkedCode> code;  ///< null on failure
  std::string message;               ///< why it failed
  ErrorCode fault = ErrorCode::link_failure;
  bool is_whole = false;  ///< the binary is not damaged: this device or its driver refuses it
};

}  // namespace op2::jit
