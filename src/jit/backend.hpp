// SPDX-License-Identifier: BSD-3-Clause
// The boundary between libop2 and the LLVM plug-in: plain structs in, plain structs out, no
// exceptions across it, no LLVM types in it. The plug-in is a shared library beside libop2.so that
// is loaded when something must be compiled or linked; see plugin_loader.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <jit/access_finding.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Changes whenever anything in this file does; the loader refuses another number.
inline constexpr int plugin_abi = 9;

/// How the functions that one unit defines for another begin.
inline constexpr const char* call_prefix = "__op2_kernel";

/// The name that a `#line` of the source gives to all that stands behind the kernel's text: nothing
/// in it is the user's.
inline constexpr const char* generated_file = "generated code";

/// The machine that code is generated for.
struct TargetInfo {
  std::string triple;
  std::string cpu;          ///< LLVM's name of the CPU
  std::string features;     ///< instruction-set features, sorted, "+avx2,+fma,..."
  std::string compiler;     ///< "LLVM 19.1.7" and whatever else tells builds of the compiler apart
  int vector_bytes = 0;     ///< of the widest vectors; follows from the features
  std::string vector_math;  ///< which mathematical functions of vectors there are; empty: none
};

/// What a parameter of a kernel must fit.
struct ParameterShape {
  ParameterShape() = default;
  ParameterShape(const ArgShape& shape, std::int32_t count = 1) : arg(shape), rows(count) {}
  ArgShape arg;           ///< with the access of this kernel
  std::int32_t rows = 1;  ///< more: an array of so many pointers to rows
};

/// A translation unit: emitted C++ around one kernel, or that of a loop whose kernels have units.
struct CompileUnit {
  std::string kernel;  ///< name of the function that is checked; empty: the unit has no kernel
  std::string source;
  std::vector<ParameterShape> parameters;
  bool any_const = false;  ///< parameters may be pointers to const or not
  std::vector<IncludedFile> includes;
  bool compare_access = true;  ///< whether `findings` are wanted
};

/// The emitted code of one loop. Units share nothing but functions with C names that begin with
/// `call_prefix`; these are inlined.
struct CompileRequest {
  std::vector<CompileUnit> units;  ///< kernels in the order of their calls; the last defines symbol
  std::string symbol;              ///< of an extern "C" function
  std::string blocks;     ///< the function whose loop over lanes must become vector code, or empty
  bool must_gain = true;  ///< it must also be expected to be faster than scalar code
  bool vector_math = false;  ///< mathematical functions may be those of vectors, less accurate
  Sanitizers sanitizers;
};

/// One message of the compiler.
struct Diagnostic {
  enum class Severity { error, warning, note };
  /// What the message is about, as far as it decides the error code.
  enum class Kind { other, unknown_symbol, missing_include, limit };
  Severity severity = Severity::error;
  Kind kind = Kind::other;
  std::string
      file;      ///< as in the #line directives of the source, or an included file; may be empty
  int line = 0;  ///< 1-based; 0: no place
  int column = 0;
  std::string text;
  std::string source_line;  ///< the line of text that the place is in, without line break
  std::string subject;      ///< the symbol or file that `kind` is about, or empty
  std::int32_t unit = 0;    ///< of the request
};

enum class CompileStatus {
  ok,
  rejected,         ///< `diagnostics` has at least one error
  wrong_signature,  ///< `message` says which parameter and why, `diagnostics` at most where: a note
  crashed,          ///< the compiler failed; `message` says what is known
  unavailable       ///< the compiler cannot be loaded; `message` says why
};

struct CompileResult {
  CompileStatus status = CompileStatus::crashed;
  std::string message;
  std::int32_t unit = 0;                ///< that was being worked on when it failed
  std::vector<Diagnostic> diagnostics;  ///< errors, or the warnings of a successful compilation
  std::vector<std::string> signatures;  ///< of each kernel the parameters as written, for display
  std::vector<std::byte> object;        ///< relocatable ELF
  std::string ir;                       ///< optimised LLVM IR
  std::string assembly;
  std::string not_vectorised;  ///< why the loop over lanes is none or gains nothing; then there is
                               ///< no object. Empty: it is vector code
  std::vector<AccessFinding> findings{};  ///< of a successful compilation
  double seconds = 0;
};

/// A symbol that linked code may use, beside the mathematical functions on the plug-in's list.
struct LinkSymbol {
  std::string name;
  void* address;
};

/// Linked code; unmapped when destroyed. Must be destroyed before its Backend.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  virtual void* entry() const = 0;
};

struct LinkResult {
  std::unique_ptr<LinkedCode> code;  ///< null on failure
  std::string message;               ///< why it failed
};

/// One compiler and linker. Functions may be called from several threads at once and do not throw.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual TargetInfo target() const = 0;

  virtual CompileResult compile(const CompileRequest& request) = 0;

  /// Checks that `object` is a relocatable ELF file for this machine that defines `symbol`, has
  /// only sections and relocations of generated code, and refers to nothing outside `symbols` and
  /// the plug-in's list, then maps it (never writable and executable at once).
  virtual LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                          const std::vector<LinkSymbol>& symbols) = 0;
};

/// What the plug-in exports as extern "C" `op2_jit_backend`.
/// @param abi  must equal `plugin_abi`, else null is returned
/// @param cpu  null or empty for the host; else LLVM's name of a CPU (OP2_JIT_CPU)
/// @param message  why null was returned
using BackendFactory = Backend* (*)(int abi, const char* cpu, std::string* message);

}  // namespace op2::jit
