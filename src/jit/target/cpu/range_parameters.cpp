// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/range_parameters.hpp>

#include <set>

#include <fmt/format.h>

namespace op2::jit {
namespace {

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
