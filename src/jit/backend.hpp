// SPDX-License-Identifier: BSD-3-Clause
// The boundary between libop2 and the LLVM plug-in: plain structs in, plain structs out, no
// exceptions across it, no LLVM types in it. The plug-in is a shared library beside libop2.so that
// is loaded when something must be compiled or linked. With this file the number in
// plugin_version.cpp changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <core/loop_abi.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>
#include <op2/error.hpp>

namespace op2::jit {

/// The machine that code is generated for.
struct TargetInfo {
  std::string triple;
  std::string cpu;            ///< LLVM's name of the CPU
  std::string features;       ///< of the instruction set: "+avx2,+fma,...", "+sve,sve-bits=512"
  std::string compiler;       ///< "LLVM 19.1.7" and whatever else identifies the build
  int vector_bytes = 0;       ///< of the vectors to use; follows from CPU and features
  std::string vector_math{};  ///< identifies the vector versions of functions; empty: none
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
  std::string file{};  ///< as in the #line directives of the source, or an included file, or empty
  int line = 0;        ///< 1-based; 0: no place
  int column = 0;
  std::string text{};
  std::string source_line{};  ///< the line of the place, without line break
  std::string subject{};      ///< the symbol, file or bracket that `kind` is about, or empty
  std::int32_t unit = 0;      ///< of the request
  bool operator==(const Diagnostic&) const = default;
};

inline bool is_error(const Diagnostic& diagnostic) {
  return diagnostic.severity == Diagnostic::Severity::error;
}

/// The first error among messages, or null.
inline const Diagnostic* first_error(const std::vector<Diagnostic>& messages) {
  const auto found = std::ranges::find_if(messages, is_error);
  return found == messages.end() ? nullptr : &*found;
}

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
  std::vector<ArgumentFacts> facts{};     ///< if only they were asked for: of each parameter, or
                                          ///< none at all
  double flops = core::unknown_flops;     ///< floating-point operations of an element
  std::int32_t parsed = 0;  ///< units that were parsed, not known from an earlier loop
  double seconds = 0;
  bool operator==(const CompileResult&) const = default;
};

/// The result of a compilation that has failed.
inline CompileResult failed_compilation(CompileStatus status, std::string message = {}) {
  CompileResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

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

/// The function that the unit of a kernel defines. The unit of the loop calls it with the number of
/// the unit in its name: `__op2_kernel0`.
inline constexpr const char* call_name = "__op2_kernel";

/// The file name that a `#line` gives to the generated code after the kernel's source, none of
/// which is the user's.
inline constexpr const char* generated_file = "generated code";

/// What a parameter of a kernel must match.
struct ParameterShape {
  ParameterShape() = default;
  ParameterShape(const ArgShape& shape, std::int32_t count = 1) : arg(shape), rows(count) {}
  ArgShape arg;           ///< with the access of this kernel
  std::int32_t rows = 1;  ///< more: an array of so many pointers to rows
  bool operator==(const ParameterShape&) const = default;
};

/// The parameters of the kernel of a call, wherever their data are.
std::vector<ParameterShape> parameters_of(const LoopNest& nest, std::size_t call);

/// A translation unit: emitted C++ around one kernel, or that of a loop whose kernels have units.
struct CompileUnit {
  std::string kernel;  ///< name of the function that is checked; empty: the unit has no kernel
  std::string source;
  std::vector<ParameterShape> parameters;
  bool any_const = false;  ///< parameters may be pointers to const or to non-const
  std::vector<IncludedFile> includes;
  bool compare_access = true;  ///< whether `findings` are wanted
  bool operator==(const CompileUnit&) const = default;
};

/// The emitted code of one loop. Units share nothing but the functions of the kernels, which are
/// inlined. The unit of a kernel may serve several loops: it is parsed once.
struct CompileRequest {
  std::vector<CompileUnit> units{};  ///< kernels in the order of calls; the last defines `symbol`
  std::string symbol{};              ///< of an extern "C" function
  std::string blocks{};    ///< the function whose loop over lanes must become vector code, or empty
  std::int32_t width = 1;  ///< SIMD width of `blocks`: elements of an iteration
  bool must_gain = true;   ///< and must be expected to be faster than scalar code
  bool traps = false;      ///< and must compute nothing that its elements do not compute
  bool vector_math =
      false;  ///< vector versions of mathematical functions, less accurate, may be used
  bool consistent_math = false;  ///< elementary functions have the same bits on all processors,
                                 ///< scalar or vector; excludes `vector_math`
  Sanitizers sanitizers;
  bool only_facts = false;  ///< of the kernel of the last unit, and the findings of all: nothing is
                            ///< compiled, and units are not parsed again if a request for code has
                            ///< equal ones
  bool operator==(const CompileRequest&) const = default;
};

/// One compiler and linker. Functions may be called from several threads at once and do not throw.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual TargetInfo target() const = 0;

  /// Loads what `compile` needs, which that does otherwise.
  virtual void prepare() {}

  virtual CompileResult compile(const CompileRequest& request) = 0;

  /// Identifies the library with the functions that `link` gives to code with `consistent_math`;
  /// empty if there is none. Loads it.
  virtual std::string consistent_math() { return {}; }

  /// Checks that `object` is a relocatable ELF file for this machine that defines `symbol`, has
  /// only sections and relocations of generated code, and refers to nothing outside `symbols` and
  /// the plug-in's list, then maps it (never writable and executable at once).
  virtual LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                          const std::vector<LinkSymbol>& symbols) = 0;
};

/// What the plug-in exports as extern "C" `op2_jit_backend`, for its own version of libop2 only
/// (`find_in_plugin`).
/// @param cpu  null or empty for the host; otherwise LLVM's name of a CPU (OP2_JIT_CPU)
/// @param message  why null was returned
using BackendFactory = Backend* (*)(const char* cpu, std::string* message);

// Which libop2 a part of the compiler belongs to: the library, its plug-ins and its helper work
// together only if they were built as one version.

/// Of the file that this is compiled into; the same text in all files of one version.
const char* plugin_version();

/// What a plug-in exports as extern "C" `op2_jit_version`: its `plugin_version`.
using VersionFunction = const char* (*)();

/// The function `name` of a loaded plug-in, which need not be one.
/// @return null if it has none or is of another version; `reason` then says which
void* find_in_plugin(void* library, const char* name, std::string& reason);

struct Plugin {
  std::unique_ptr<Backend> backend;
  std::filesystem::path file;  ///< absolute
};

/// Loads libop2_llvm.so from `plugin_dir` (OP2_PLUGIN_DIR) or, if that is empty, from this
/// library's folder or its subfolder op2. Files that others than this user, root and the owner of
/// this library could have written are not loaded. The plug-in is never unloaded. Cost: loading
/// LLVM, some 30 ms.
/// @param cpu  LLVM's name of the CPU to generate code for; empty: this machine's
/// @throws Error plugin_failure (lists the files tried and why they failed), bad_option (unknown
///         `cpu`), not_compiled
Plugin load_plugin(const std::string& plugin_dir, const std::string& cpu);

}  // namespace op2::jit
