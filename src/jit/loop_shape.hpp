// SPDX-License-Identifier: BSD-3-Clause
// What the code generator needs to know of a loop: all that shapes instructions, and nothing that a
// mesh, a partition or a value decides. Two loops of equal shape share their code.
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
  std::int32_t arity = 0;    ///< of the map
  std::int32_t members = 1;  ///< as in core::LoopArg: n for the first column of a vector argument
  auto operator<=>(const ArgShape&) const = default;
};

/// A constant that the kernel's text names: declared with op_decl_const, or a variable of the
/// program, which has its own declaration and is told from others of its name by its address.
struct ConstantShape {
  std::string name;
  Type type = Type::f64;
  std::int32_t dim = 1;
  std::string declaration =
      "";  ///< of a variable, e.g. "double qinf[4]"; then type and dim are not used
  const void* variable = nullptr;  ///< where the program has it; no part of the code
  auto operator<=>(const ConstantShape&) const = default;
};

/// A file that the kernel's text includes, directly or not.
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

struct LoopShape {
  std::string kernel;      ///< name of the function that the text defines
  std::string text;
  std::vector<ArgShape> args;
  std::vector<ConstantShape> constants;  ///< sorted by name
  std::vector<IncludedFile> includes;    ///< sorted by name
  bool any_const = false;  ///< the kernel's pointers may be to const or not, whatever the access
  auto operator<=>(const LoopShape&) const = default;
};

}  // namespace op2::jit
