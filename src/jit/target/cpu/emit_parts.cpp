// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_parts.hpp>

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <core/value_type.hpp>

namespace op2::jit {
namespace {

std::string element_type(const ArgShape& arg, bool written) {
  return fmt::format("{}{}", written ? "" : "const ", core::cxx_name_of(arg.type));
}

Parameter base_parameter(const std::string& type, const std::string& name, std::size_t position) {
  return {fmt::format("{}* __restrict {}", type, name),
          fmt::format("static_cast<{}*>(op2_args[{}].op2_base)", type, position)};
}

}  // namespace

std::string type_of(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? "int" : core::cxx_name_of(arg.type);
}

int dim_of(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? 1 : arg.dim;
}

std::vector<Parameter> parameters_of(const std::vector<ArgShape>& args) {
  std::map<int, bool> dat_written;
  for (const ArgShape& arg : args) {
    if (is_dat(arg)) dat_written[arg.dat] |= writes(arg);
  }
  std::vector<Parameter> parameters;
  std::map<int, bool> dat_named, map_named;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (is_dat(arg) && !std::exchange(dat_named[arg.dat], true)) {
      const std::string type = element_type(arg, dat_written[arg.dat]);
      parameters.push_back(base_parameter(type, fmt::format("op2_dat{}", arg.dat), i));
    }
    if (is_global(arg)) {
      const std::string type = element_type(arg, writes(arg));
      parameters.push_back(base_parameter(type, fmt::format("op2_global{}", i), i));
    }
    if (is_number(arg))
      parameters.push_back(base_parameter("const int", fmt::format("op2_numbers{}", i), i));
    if (is_indirect(arg) && !std::exchange(map_named[arg.map], true)) {
      parameters.push_back({fmt::format("const int* __restrict op2_map{}", arg.map),
                            fmt::format("op2_args[{}].op2_index - {}", i, arg.column)});
    }
  }
  return parameters;
}

std::string row_name(const ArgShape& arg) {
  return fmt::format("op2_row{}_{}", arg.map, arg.column);
}

std::string map_entry(const ArgShape& arg) {
  return fmt::format("op2_map{}[op2_element * {} + {}]", arg.map, arg.arity, arg.column);
}

std::vector<ArgShape> columns_of(const std::vector<ArgShape>& args) {
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
