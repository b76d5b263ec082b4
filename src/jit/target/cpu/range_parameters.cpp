// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/range_parameters.hpp>

#include <set>

#include <fmt/format.h>

#include <core/value_type.hpp>

namespace op2::jit {
namespace {

/// Where a payload that is set in any order is from: the index behind its values, and the table of
/// indices.
void add_element(const ArgShape& arg, std::size_t position, std::vector<Parameter>& parameters) {
  const std::size_t bytes = (core::size_of(arg.type, arg.dim) + 7) / 8 * 8;
  parameters.push_back(
      {fmt::format("long* __restrict op2_from{}", position),
       fmt::format("reinterpret_cast<long*>(static_cast<char*>(op2_args[{}].op2_base) + {})",
                   position, bytes)});
  parameters.push_back({fmt::format("const int* __restrict op2_order{}", position),
                        fmt::format("op2_args[{}].op2_index", position)});
}

Parameter base_parameter(const std::string& type, const std::string& name, std::size_t position) {
  return {fmt::format("{}* __restrict {}", type, name),
          fmt::format("static_cast<{}*>(op2_args[{}].op2_base)", type, position)};
}

}  // namespace

std::vector<Parameter> parameters_of(const std::vector<ArgShape>& args) {
  const std::set<int> written = written_dats(args);
  std::vector<Parameter> parameters;
  std::set<int> dats, maps;  // that have a parameter
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (is_dat(arg) && dats.insert(arg.dat).second) {
      const std::string type = element_type(arg, written.contains(arg.dat));
      parameters.push_back(base_parameter(type, fmt::format("op2_dat{}", arg.dat), i));
    }
    if (is_global(arg)) {
      const std::string type = element_type(arg, writes(arg));
      parameters.push_back(base_parameter(type, fmt::format("op2_global{}", i), i));
      if (is_payload(arg)) add_element(arg, i, parameters);
    }
    if (is_number(arg))
      parameters.push_back(base_parameter("const int", fmt::format("op2_numbers{}", i), i));
    if (is_indirect(arg) && maps.insert(arg.map).second) {
      parameters.push_back({fmt::format("const int* __restrict op2_map{}", arg.map),
                            fmt::format("op2_args[{}].op2_index - {}", i, arg.column)});
    }
  }
  return parameters;
}

std::string map_entry(const ArgShape& arg) {
  return fmt::format("op2_map{}[op2_element * {} + {}]", arg.map, arg.arity, arg.column);
}

}  // namespace op2::jit
