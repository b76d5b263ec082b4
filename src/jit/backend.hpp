// SPDX-License-Identifier: BSD-3-Clause
// The boundary between libop2 and the LLVM plug-in: plain structs in, plain structs out, no
// exceptions across it, no LLVM types in it. The plug-in is a shared library beside libop2.so that
// is loaded when something must be compiled or linked; see plugin_loader.hpp. With this file the
// number in plugin_version.cpp changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <jit/compile_result.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

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
  std::vector<CompileUnit> units;  ///< kernels in the order of calls; the last defines `symbol`
  std::string symbol;              ///< of an extern "C" function
  std::string blocks;      ///< the function whose loop over lanes must become vector code, or empty
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

}  // namespace op2::jit
