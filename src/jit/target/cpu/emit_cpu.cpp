// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_cpu.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cpu/emit_reductions.hpp>
#include <jit/target/cpu/emit_simd.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

// Generated code is before the source or has names that begin with op2_, so that no macro of the
// source changes it; the compiler rejects macros with the name of a keyword.
constexpr std::string_view binding_struct = R"(
struct op2_binding {
  void* op2_base;
  const int* op2_index;
  long op2_stride;
};
static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(op2_binding) == 24);
)";

constexpr std::string_view pointer_struct = R"(
// Becomes whichever pointer the kernel takes: to `long` or `long long`, or to pointers to const.
struct op2_pointer {
  void* op2_address;
  template <class op2_value> operator op2_value*() const {
    return static_cast<op2_value*>(op2_address);
  }
};
)";

/// The row of a dat that an argument accesses, as an expression in the loop's body.
std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? row_name(arg) : "op2_element";
}

std::string pointer_to_data(const LoopNest& nest, const ReproducibleForm& form,
                            std::size_t position) {
  const ArgShape& arg = nest.args[position];
  if (form.is_own(position)) return form.own_name(position);
  if (is_offered(nest.args, position)) return fmt::format("op2_offer{}", position);
  if (arg.kind == OP_ARG_IDX) return fmt::format("&op2_number{}", position);
  if (arg.kind == OP_ARG_GBL) {
    return fmt::format("op2_{}{}", is_local_block(arg) ? "local" : "global", position);
  }
  return row_address(arg, row_of(arg));
}

/// Without the reason for scalar code: it may be words of the compiler.
void emit_heading(std::string& out, const LoopNest& nest, const SimdChoice& simd) {
  out.append(heading_of(nest));
  if (simd.vectorised())
    out += fmt::format("// In blocks of {} elements, to be vectorised\n", simd.width);
}

void emit_constants(std::string& out, const LoopNest& nest, const KernelCall& call) {
  if (!call.constants.empty()) out.push_back('\n');
  for (const ConstantShape& constant : call.constants)
    out += fmt::format("extern const {} __asm__(\"{}\");\n", declaration_of(constant),
                       constant_symbol(nest, constant));
}

void emit_source(std::string& out, const KernelCall& call) {
  out +=
      fmt::format("\n#line 1 \"{}\"\n{}\n#line 1 \"{}\"", call.name, call.source, generated_file);
}

void emit_lines(std::string& out, const Statements& statements, std::string_view indent) {
  for (const std::string& statement : statements) out += fmt::format("{}{}\n", indent, statement);
}

/// Copies the blocks of reduced globals into local variables, or back.
void emit_block_copies(std::string& out, const std::vector<ArgShape>& args,
                       const ReproducibleForm& form, bool back) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_local_block(args[i]) || is_offered(args, i) || form.is_term(i)) continue;
    if (!back) {
      out +=
          fmt::format("  {} op2_local{}[{}];\n", core::cxx_name_of(args[i].type), i, args[i].dim);
    }
    out += fmt::format("  __builtin_memcpy(op2_{0}{2}, op2_{1}{2}, sizeof op2_local{2});\n",
                       back ? "global" : "local", back ? "local" : "global", i);
  }
  emit_lines(out, back ? candidate_stores(args) : candidate_declarations(args), "  ");
}

void emit_body(std::string& out, const LoopNest& nest, const ReproducibleForm& form) {
  for (const ArgShape& arg : columns_of(nest.args))
    out += fmt::format("    const int {} = {};\n", row_name(arg), map_entry(arg));
  std::vector<std::string> pointers;
  for (std::size_t i = 0; i < nest.args.size(); ++i) {
    const ArgShape& arg = nest.args[i];
    if (is_number(arg)) {
      out += fmt::format("    int op2_number{} = {};\n", i, number_of_row(i, row_of(arg)));
    }
    pointers.push_back(arg.active ? pointer_to_data(nest, form, i) : "");
  }
  emit_lines(out, form.before_element(), "    ");
  emit_lines(out, offer_declarations(nest.args), "    ");
  out.append(calls_of(nest, pointers, "    "));
  emit_lines(out, offer_choices(nest.args, form.zeros()), "    ");
  emit_lines(out, form.after_element(), "    ");
}

/// Whole blocks first, then the rest one by one.
/// @param more  parameters
void emit_elements(std::string& out, const ReproducibleForm& form, const std::string& function,
                   const std::string& more, int width, const std::string& values) {
  out += fmt::format("\n{}(long op2_begin, long op2_end, const op2_binding* op2_args{}) {{\n",
                     function, more);
  if (!more.empty()) out += "  long op2_first = op2_begin;\n";
  if (width > 1) {
    out += fmt::format(
        "  const long op2_rest = op2_end - (op2_end - op2_begin) % {};\n"
        "  {}(op2_begin, op2_rest{});\n  op2_begin = op2_rest;\n",
        width, blocks_function, values);
    emit_lines(out, form.after_blocks(), "  ");
  }
  out += fmt::format("  op2_run(op2_begin, op2_end{});\n}}\n", values);
}

/// The range function. Loops that make terms execute some hundred elements at a time, so that the
/// loops over elements call nothing.
void emit_range(std::string& out, const ReproducibleForm& form, int width,
                const std::string& values) {
  const std::string range = fmt::format("extern \"C\" void {}", range_symbol);
  const int at_once = form.elements_at_once();
  if (at_once == 0) return emit_elements(out, form, range, "", width, values);
  std::string declarations, memory;
  for (const Parameter& parameter : form.term_parameters()) {
    declarations += ", " + parameter.declaration;
    memory += ", " + parameter.value;
  }
  emit_elements(out, form, "static void op2_part", declarations, width, values);
  out += fmt::format("\n{}(long op2_begin, long op2_end, const op2_binding* op2_args) {{\n", range);
  emit_lines(out, form.term_memory(), "  ");
  out += fmt::format(
      "  while (op2_begin < op2_end) {{\n"
      "    const long op2_count = op2_end - op2_begin < {0} ? op2_end - op2_begin : {0};\n"
      "    op2_part(op2_begin, op2_begin + op2_count, op2_args{1});\n",
      at_once, memory);
  emit_lines(out, form.add_terms("op2_count"), "    ");
  out += "    op2_begin += op2_count;\n  }\n}\n";
}

void emit_loop(std::string& out, const LoopNest& nest, const ReproducibleForm& form, int width) {
  std::string declarations, values;
  std::vector<Parameter> parameters = parameters_of(nest.args);
  std::ranges::move(form.parameters(), std::back_inserter(parameters));
  for (const Parameter& parameter : parameters) {
    declarations += ",\n    " + parameter.declaration;
    values += ",\n      " + parameter.value;
  }
  out += fmt::format("\nstatic void op2_run(long op2_begin, long op2_end{}) {{\n", declarations);
  emit_block_copies(out, nest.args, form, false);
  out += "  for (long op2_element = op2_begin; op2_element < op2_end; ++op2_element) {\n";
  emit_body(out, nest, form);
  out += "  }\n";
  emit_block_copies(out, nest.args, form, true);
  out += "}\n";
  if (width > 1) emit_blocks(out, nest, form, width, declarations);
  emit_range(out, form, width, values);
}

bool is_single(const LoopNest& nest) {
  return nest.calls.size() == 1;
}

/// "void*" for each parameter of a kernel; with names unless `name` is empty.
std::string void_pointers(const KernelCall& call, const char* name) {
  std::vector<std::string> list;
  for (const CallArg& arg : call.args)
    if (arg.members > 0) list.push_back(fmt::format(fmt::runtime(name), list.size()));
  return fmt::format("{}", fmt::join(list, ", "));
}

/// The C name of the function that calls the kernel of a call in a separate unit.
std::string call_symbol(std::size_t call) {
  return fmt::format("{}{}", call_name, call);
}

/// Declarations of these functions; empty for a single kernel.
std::string call_declarations(const LoopNest& nest) {
  std::string text;
  if (is_single(nest)) return text;
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    text += fmt::format("extern \"C\" void {}({});\n", call_symbol(n),
                        void_pointers(nest.calls[n], "void*"));
  return text;
}

/// The definition of the function named `call_symbol(call)`.
std::string call_definition(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  return fmt::format(
      "\nextern \"C\" void {}({}) {{\n  [[_Clang::__always_inline__]] ::{}({});\n}}\n", call_name,
      void_pointers(kernel, "void* op2_arg{}"), kernel.name,
      void_pointers(kernel, "op2_pointer{{op2_arg{}}}"));
}

/// Whether calls need the struct op2_pointer in the unit of the loop.
bool converts_pointers(const LoopNest& nest) {
  if (!is_single(nest)) return false;
  return nest.calls[0].any_const ||
         std::ranges::any_of(nest.calls[0].args, [&](const CallArg& arg) {
           return is_vector(nest, arg) || is_64_bit_integer(nest.args[arg.position]);
         });
}

constexpr const char* library_headers =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n";
constexpr const char* simd_include = "#include <op2_simd>\n";

/// At file scope it holds to the end of the unit.
constexpr const char* no_contraction = "#pragma clang fp contract(off)\n";

/// Likewise. No operation that may trap is moved to where the source does not execute it.
constexpr const char* traps_count = "#pragma clang fp exceptions(maytrap)\n";

/// What comes first in a unit with the call's kernel.
std::string pragmas_of(const KernelCall& call, bool contract, bool is_scalar) {
  return std::string(contract ? "" : no_contraction) + (call.traps && is_scalar ? traps_count : "");
}

/// With the kernel, if it is a single one.
std::string loop_unit(const LoopNest& nest, const SimdChoice& simd, const ReproducibleForm& form) {
  std::string out;
  emit_heading(out, nest, simd);
  out += fmt::format("{}{}", is_single(nest) ? library_headers : "",
                     simd.width > 1 ? simd_include : "");
  if (is_single(nest))
    emit_constants(out, nest, nest.calls[0]);
  else
    out += fmt::format("\n#line 1 \"{}\"", generated_file);
  out.append(binding_struct).append(call_declarations(nest));
  if (converts_pointers(nest)) out.append(pointer_struct);
  out.append(form.preamble());
  if (is_single(nest)) emit_source(out, nest.calls[0]);
  emit_loop(out, nest, form, simd.width);
  return out;
}

/// The expression passed for one parameter.
/// @param is_any  the kernel's parameter decides the type of the pointer
std::string passed(const std::string& pointer, bool is_single, bool is_any) {
  if (!is_single) return fmt::format("(void*)({})", pointer);
  return is_any ? fmt::format("op2_pointer{{(void*)({})}}", pointer) : pointer;
}

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

std::string emit_kernel(const LoopNest& nest, std::size_t call, bool contract, bool is_scalar) {
  std::string out;
  out.append(pragmas_of(nest.calls[call], contract, is_scalar));
  out += fmt::format("// Kernel '{}' as a part of a loop, generated by libop2.\n{}",
                     nest.calls[call].name, library_headers);
  emit_constants(out, nest, nest.calls[call]);
  out.append(pointer_struct);
  emit_source(out, nest.calls[call]);
  out.append(call_definition(nest, call));
  return out;
}

std::vector<std::string> emit_cpu(const LoopNest& nest, const SimdChoice& simd,
                                  const CpuCodeForm& form) {
  const ReproducibleForm reproducible(nest.args, simd.width, form.reproducible);
  std::vector<std::string> units;
  for (std::size_t n = 0; n < nest.calls.size() && !is_single(nest); ++n)
    units.push_back(emit_kernel(nest, n, form.contract, simd.width == 1));
  units.push_back(loop_unit(nest, simd, reproducible));
  units.back().insert(0, pragmas_of(nest.calls.back(), form.contract, simd.width == 1));
  return units;
}

std::string calls_of(const LoopNest& nest, const std::vector<std::string>& pointers,
                     const std::string& indent) {
  std::string text;
  const auto pass = [&](const std::string& pointer, bool is_any) {
    return passed(pointer, is_single(nest), is_any);
  };
  for (std::size_t n = 0; n < nest.calls.size(); ++n)
    text += fmt::format(
        "{0}{1}[[_Clang::__always_inline__]] {2}(\n{1}    {3});\n",
        vector_declarations(nest, n, pointers, indent), indent,
        is_single(nest) ? "::" + nest.calls[n].name : call_symbol(n),
        fmt::join(actual_arguments(nest, n, pointers, pass), fmt::format(",\n{}    ", indent)));
  return text;
}

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
