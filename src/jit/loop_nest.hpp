// SPDX-License-Identifier: BSD-3-Clause
// A request for code: the nest, which is the input of the code generator, and the loops that it
// comes from. A nest has everything that instructions depend on, and nothing that depends on a
// mesh, a partition or a value. Loops of equal nests share their code.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <core/hash.hpp>
#include <op2/kernel.hpp>
#include <op2/types.hpp>

namespace op2::jit {

struct ConstantUse;
struct KeyFields;

/// One argument of a loop for the code generator.
struct ArgShape {
  op_arg_type kind = OP_ARG_DAT;
  op_access access = OP_READ;
  Type type = Type::f64;
  std::int32_t dim = 1;
  bool active = true;  ///< false: an optional argument that is off; the kernel gets a null pointer
  std::int32_t dat = -1;  ///< number of the dat; arguments of one dat may alias. -1: not a dat
  std::int32_t map = -1;  ///< number of the map. -1: direct
  std::int32_t column = 0;
  std::int32_t arity = 0;  ///< of the map
  /// So many of the `dim` values of a row are padding: the kernel may leave them alone.
  std::int32_t padding = 0;
  /// A payload that elements may set in any order (payload_form.hpp): the nest's argument with its
  /// minimum or maximum. Partial results then hold the index of their element.
  std::int32_t extreme = -1;
  /// A minimum or maximum with a payload that elements set in order: each sees what those before
  /// have left.
  bool in_order = false;
  auto operator<=>(const ArgShape&) const = default;
};

/// How kernels access an argument, whichever dat or map it is.
inline ArgShape without_place(ArgShape shape) {
  shape.dat = -1;
  shape.map = std::min(shape.map, 0);
  shape.column = shape.arity = 0;
  shape.extreme = -1;
  shape.in_order = false;
  return shape;
}

/// Whether more can be done with an argument if the kernel's source proves how it uses it.
inline bool asks_for_facts(const ArgShape& arg) {
  return arg.kind == OP_ARG_DAT && arg.active && (arg.access == OP_WRITE || arg.access == OP_RW);
}

/// A constant that a kernel's source names: declared with op_decl_const, or a variable of the
/// program, which has a C++ declaration and is distinguished from others of its name by its
/// address.
struct ConstantShape {
  std::string name;
  Type type = Type::f64;
  std::int32_t dim = 1;
  std::string declaration =
      "";  ///< of a variable, e.g. "double qinf[4]"; then type and dim are unused
  const void* variable = nullptr;  ///< its address in the program; not part of the code
  auto operator<=>(const ConstantShape&) const = default;
};

/// A file that a kernel's source includes, directly or not.
struct IncludedFile {
  std::string name;  ///< as written between the quotes
  std::string text;
  auto operator<=>(const IncludedFile&) const = default;
};

/// Checks in compiled code; the process must have loaded their runtime libraries.
struct Sanitizers {
  bool address = false;
  bool undefined = false;
  bool thread = false;
  bool operator==(const Sanitizers&) const = default;
};

/// An argument as one kernel of a nest uses it.
struct CallArg {
  std::int32_t position = 0;   ///< among the nest's arguments
  op_access access = OP_READ;  ///< by this kernel; the nest's argument has that of all kernels
  std::int32_t members = 1;    ///< as in core::LoopArg: n for the first column of a vector argument
  auto operator<=>(const CallArg&) const = default;
};

/// A kernel that a loop calls for each element.
struct KernelCall {
  std::string name;  ///< of the function that the source defines
  std::string source{};
  std::vector<CallArg> args{};             ///< in the order of the kernel's parameters
  std::vector<ConstantShape> constants{};  ///< sorted by name
  std::vector<IncludedFile> includes{};    ///< sorted by name
  bool any_const = false;  ///< pointers may be to const or non-const, whatever the access
  bool traps = false;  ///< floating-point traps are on: nothing is computed but what is executed
  auto operator<=>(const KernelCall&) const = default;
};

/// A loop, or several fused ones: for each element all kernels are called, in their order. Kernels
/// may share an argument for the same rows, whose access is then that of all kernels together:
/// OP_READ if all of them only read, OP_WRITE if the first one writes the whole row. Each kernel's
/// source keeps a separate scope.
///
/// On GPUs a nest may gather: its elements are rows of a set to which loops over other sets add.
/// The first calls are these loops, one each, and their arguments come first, those of each loop
/// together. An element then executes, one loop after the other, all their elements that add to its
/// row, keeps what goes to this row alone, and calls the other kernels.
struct LoopNest {
  std::vector<KernelCall> calls;  ///< at least one
  std::vector<ArgShape> args;
  std::vector<std::int32_t> gathered{};  ///< per gathered loop: where its arguments end in `args`
  std::vector<std::int32_t>
      zero_initialised{};                  ///< dats whose sums begin at zero, whatever is in memory
  std::vector<std::int32_t> not_stored{};  ///< dats whose sums are not stored
  auto operator<=>(const LoopNest&) const = default;
};

/// Arguments [begin, end) of a nest.
struct ArgRange {
  std::size_t begin, end;
};

/// The arguments of each gathered loop, then those of the other kernels.
/// @param gathered  of the nest
std::vector<ArgRange> arg_ranges(std::span<const std::int32_t> gathered, std::size_t args);

/// "save_soln", or "adt_calc+res_calc" for several calls.
std::string name_of(const LoopNest& nest);

/// The nest's argument with the access of one kernel.
ArgShape shape_of(const LoopNest& nest, const CallArg& arg);

// Symbols of the constants that kernels read.

/// The constants that kernels of a nest name, each once, in order of first appearance.
std::vector<ConstantShape> constants_of(const LoopNest& nest);

/// The symbol through which generated code reads a constant; bound to an address when code is
/// loaded. Constants of one name are distinguished by their positions in `constants_of`.
std::string constant_symbol(const LoopNest& nest, const ConstantShape& constant);

/// "double qinf[4]"
std::string declaration_of(const ConstantShape& constant);

// Which arguments of reproducible code may add to slots instead of rows: so that what several
// elements add to a row can be added in another order than that of their execution.

/// An argument that adds through a map to a dat with which the loop does nothing else. Kernels get
/// a row of zeros for it; afterwards that is added to the target, a row or a slot.
struct SlottedArg {
  std::size_t arg;  ///< its position
  /// The first argument of the same dat, map and column: they share a row of zeros.
  std::size_t sum;
  /// The first argument with the same table of targets: through the same map, to a dat to which the
  /// loop adds through the same columns.
  std::size_t targets;
};

/// In the order of their positions.
std::vector<SlottedArg> slotted_args(std::span<const ArgShape> args);

/// What the compilation of one kernel may cost: OP2_JIT_LIMIT.
struct CompileLimit {
  std::int64_t seconds = 60;                             ///< of CPU time
  std::int64_t memory_bytes = std::int64_t{2048} << 20;  ///< resident, of the compiling process
  bool operator==(const CompileLimit&) const = default;
};

/// Ten times the CPU time, by the clock: a process that is silent for longer does not share its
/// core with others, but stands still.
inline std::chrono::milliseconds answer_timeout_for(const CompileLimit& limit) {
  return 10 * std::chrono::seconds(limit.seconds);
}

/// A declared constant for generated code. The value is read through `address` whenever the code
/// runs, so it may change; the address must stay valid until the Jit is destroyed.
struct Constant {
  std::string name;
  Type type = Type::f64;
  std::int32_t dim = 1;
  void* address = nullptr;         ///< shape [dim]
  std::string declaration = "";    ///< as in ConstantShape
  const void* variable = nullptr;  ///< as in ConstantShape
};

inline ConstantShape shape_of(const Constant& constant) {
  return {constant.name, constant.type, constant.dim, constant.declaration, constant.variable};
}

/// The loop that a kernel call of a nest comes from: the subject of errors and warnings.
struct LoopOrigin {
  std::string loop;
  std::string call_site;       ///< "airfoil.cpp:212"
  op_kernel kernel = nullptr;  ///< for locations of errors; not null; lives until code is made
  bool compare_access = true;  ///< false: access modes were checked when the program was built, and
                               ///< OP2_CHECK does not request it
  std::vector<std::int32_t>
      optional{};  ///< arguments that may be off in other calls, as in the call
};

struct LoopRequest {
  LoopNest nest;                    ///< of calls made by `call_of`
  std::vector<LoopOrigin> origins;  ///< of each call
};

/// "adt_calc", or "adt_calc+res_calc" for loops that were fused.
std::string loops_of(const LoopRequest& request);

/// "loop 'adt_calc' (airfoil.cpp:212)"; of fused loops, the call site of the first.
std::string where_is(const LoopRequest& request);

/// A kernel call without arguments: finds the declared constants that the source names, and reads
/// the files that it includes. Local. Cost: one pass over the source and these files.
/// @param limit  for reading the files
/// @throws Error as read_includes
KernelCall call_of(const op_kernel_core& kernel, std::span<const Constant> declared,
                   const CompileLimit& limit = {});

// What the key of an entry of the cache says of a nest (cache_entry.hpp).

/// Equal for equal nests: hashes sources, included files, arguments and constants.
core::Digest fingerprint_of(const LoopNest& nest);

/// Sets the fields that depend on the nest only.
void add_nest(KeyFields& fields, const LoopNest& nest);

/// The declared constants that the kernels name, without variables of the program.
std::vector<ConstantUse> constants_used(const LoopNest& nest);

/// Replaces the kernels' constants by those of `used` that are in `declared`.
void use_constants(LoopNest& nest, std::span<const ConstantUse> used,
                   std::span<const Constant> declared);

}  // namespace op2::jit
