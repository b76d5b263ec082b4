// SPDX-License-Identifier: BSD-3-Clause
// What the code generator needs to know of a loop: all that shapes instructions, and nothing that a
// mesh, a partition or a value decides. Two loops of equal nests share their code.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <op2/types.hpp>

namespace op2::jit {

/// One argument of a loop as the code generator sees it.
struct ArgShape {
  op_arg_type kind = OP_ARG_DAT;
  op_access access = OP_READ;
  Type type = Type::f64;
  std::int32_t dim = 1;
  bool active = true;  ///< false: an optional argument that is off; the kernel gets a null pointer
  std::int32_t dat = -1;  ///< equal numbers, equal dats: they may alias. -1: not a dat
  std::int32_t map = -1;  ///< equal numbers, equal maps. -1: direct
  std::int32_t column = 0;
  std::int32_t arity = 0;  ///< of the map
  auto operator<=>(const ArgShape&) const = default;
};

/// A constant that a kernel's source names: declared with op_decl_const, or a variable of the
/// program, which has a declaration in C++ and differs from others of its name by its address.
struct ConstantShape {
  std::string name;
  Type type = Type::f64;
  std::int32_t dim = 1;
  std::string declaration =
      "";  ///< of a variable, e.g. "double qinf[4]"; then type and dim are not used
  const void* variable = nullptr;  ///< where the program has it; not part of the code
  auto operator<=>(const ConstantShape&) const = default;
};

/// A file that a kernel's source includes, directly or not.
struct IncludedFile {
  std::string name;  ///< as written between the quotes
  std::string text;
  auto operator<=>(const IncludedFile&) const = default;
};

/// What compiled code checks while it runs; the process must have the runtime libraries in it.
struct Sanitizers {
  bool address = false;
  bool undefined = false;
  bool thread = false;
};

/// An argument as one kernel of a nest uses it.
struct CallArg {
  std::int32_t position = 0;   ///< among the nest's arguments
  op_access access = OP_READ;  ///< by this kernel; the nest's argument has that by all kernels
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
  bool any_const = false;  ///< the kernel's pointers may be to const or not, whatever the access
  auto operator<=>(const KernelCall&) const = default;
};

/// A loop, or several that were fused: each element is handed to all kernels, in their order.
/// Arguments by which kernels reach the same rows may be one, whose access is that of all kernels
/// together: OP_READ if all of them only read, OP_WRITE if the first to use it writes all of it.
/// Each kernel's source keeps a separate scope: it means what it means alone.
struct LoopNest {
  std::vector<KernelCall> calls;  ///< at least one
  std::vector<ArgShape> args;
  auto operator<=>(const LoopNest&) const = default;
};

/// The nest of one call, whose parameters are `args` in their order.
LoopNest nest_of(KernelCall call, std::vector<ArgShape> args);

/// "save_soln", or "adt_calc+res_calc" for several calls.
std::string name_of(const LoopNest& nest);

/// The nest's argument with the access of one kernel.
ArgShape shape_of(const LoopNest& nest, const CallArg& arg);

}  // namespace op2::jit
