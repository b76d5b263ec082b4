// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/emit_parts.hpp>

#include <set>
#include <utility>

#include <fmt/format.h>

#include <core/value_type.hpp>

namespace op2::jit {
std::string type_of(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? "int" : core::cxx_name_of(arg.type);
}

int dim_of(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? 1 : arg.dim;
}

std::string element_type(const ArgShape& arg, bool written) {
  return fmt::format("{}{}", written ? "" : "const ", core::cxx_name_of(arg.type));
}

std::set<int> written_dats(std::span<const ArgShape> args) {
  std::set<int> written;
  for (const ArgShape& arg : args)
    if (is_dat(arg) && writes(arg)) written.insert(arg.dat);
  return written;
}

std::string row_name(const ArgShape& arg) {
  return fmt::format("op2_row{}_{}", arg.map, arg.column);
}

std::vector<ArgShape> columns_of(std::span<const ArgShape> args) {
  std::vector<ArgShape> columns;
  std::set<std::pair<int, int>> known;
  for (const ArgShape& arg : args)
    if (is_indirect(arg) && known.emplace(arg.map, arg.column).second) columns.push_back(arg);
  return columns;
}

std::string row_address(const ArgShape& arg, const std::string& row) {
  if (arg.dim == 1) return fmt::format("op2_dat{} + {}", arg.dat, row);
  return fmt::format("op2_dat{} + {}L * {}", arg.dat, arg.dim, row);
}

std::string number_of_row(std::size_t position, const std::string& row) {
  return fmt::format("op2_numbers{0} ? op2_numbers{0}[{1}] : static_cast<int>({1})", position, row);
}

}  // namespace op2::jit
