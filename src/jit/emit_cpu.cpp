// SPDX-License-Identifier: BSD-3-Clause
#include <jit/emit_cpu.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include <core/access.hpp>
#include <core/value_type.hpp>
#include <jit/backend.hpp>

namespace op2::jit {
namespace {

/// Blocks of reduced globals up to this dim are kept in local variables, hence in registers: a
/// store to memory in every iteration would be slow and prevent vectorisation.
constexpr int largest_local_block = 16;

// What is ours stands before the text or has a name that begins with op2_, so that no macro of the
// text changes it; the compiler refuses macros that are named like a keyword.
constexpr std::string_view binding_struct = R"(
struct op2_binding {
  void* op2_base;
  const int* op2_index;
  long op2_stride;
};
static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(op2_binding) == 24);
)";

constexpr std::string_view wide_struct = R"(
// `long` and `long long` are the same size: becomes a pointer to whichever the kernel takes.
template <class A, class B>
struct op2_either {
  A* address;
  operator A*() const { return address; }
  operator B*() const { return reinterpret_cast<B*>(address); }
};
)";

bool writes(const ArgShape& arg) {
  return arg.access != OP_READ;
}
bool is_dat(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_DAT;
}
bool is_global(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_GBL;
}
bool is_indirect(const ArgShape& arg) {
  return arg.active && arg.index >= 0;
}
bool is_number(const ArgShape& arg) {
  return arg.active && arg.kind == OP_ARG_IDX;
}
bool is_wide(const ArgShape& arg) {
  return arg.active && arg.kind != OP_ARG_IDX && (arg.type == Type::i64 || arg.type == Type::u64);
}

bool is_local_block(const ArgShape& arg) {
  return is_global(arg) && writes(arg) && arg.dim <= largest_local_block;
}

/// A parameter of the inner function and where the range function finds its value.
struct Parameter {
  std::string declaration;
  std::string value;
};

std::string element_type(const ArgShape& arg, bool written) {
  return fmt::format("{}{}", written ? "" : "const ", core::cxx_name_of(arg.type));
}

Parameter base_parameter(const std::string& type, const std::string& name, std::size_t position) {
  return {fmt::format("{}* __restrict {}", type, name),
          fmt::format("static_cast<{}*>(op2_args[{}].op2_base)", type, position)};
}

/// One pointer for each distinct dat, because only different dats are sure not to alias; one index
/// pointer for each distinct column of a map; one pointer for each global and each table of
/// numbers.
std::vector<Parameter> parameters_of(const std::vector<ArgShape>& args) {
  std::map<int, bool> dat_written;
  for (const ArgShape& arg : args) {
    if (is_dat(arg)) dat_written[arg.dat] |= writes(arg);
  }
  std::vector<Parameter> parameters;
  std::map<int, bool> dat_named, column_named;
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
    if (is_indirect(arg) && !std::exchange(column_named[arg.index], true)) {
      parameters.push_back(
          {fmt::format("const int* __restrict op2_index{0}, long op2_stride{0}", arg.index),
           fmt::format("op2_args[{0}].op2_index, op2_args[{0}].op2_stride", i)});
    }
  }
  return parameters;
}

/// The row of a dat that the argument refers to, as an expression in the loop's body.
std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? fmt::format("op2_row{}", arg.index) : "op2_element";
}

std::string pointer_to_data(const ArgShape& arg, std::size_t position) {
  if (arg.kind == OP_ARG_IDX) return fmt::format("&op2_number{}", position);
  if (arg.kind == OP_ARG_GBL) {
    return fmt::format("op2_{}{}", is_local_block(arg) ? "local" : "global", position);
  }
  if (arg.dim == 1) return fmt::format("op2_dat{} + {}", arg.dat, row_of(arg));
  return fmt::format("op2_dat{} + {}L * {}", arg.dat, arg.dim, row_of(arg));
}

/// What is passed to the kernel for one argument.
std::string actual_argument(const ArgShape& arg, std::size_t position) {
  if (!arg.active) return "nullptr";
  const std::string pointer = pointer_to_data(arg, position);
  if (!is_wide(arg)) return pointer;
  const bool is_signed = arg.type == Type::i64;
  return fmt::format("op2_either<{}, {}{}>{{{}}}", element_type(arg, writes(arg)),
                     writes(arg) ? "" : "const ", is_signed ? "long long" : "unsigned long long",
                     pointer);
}

std::string describe(const ArgShape& arg) {
  if (!arg.active) return "off";
  const std::string through =
      is_indirect(arg) ? fmt::format("through index {}", arg.index) : std::string("direct");
  switch (arg.kind) {
    case OP_ARG_IDX:
      return fmt::format("number of the element, {}", through);
    case OP_ARG_GBL:
      return "global";
    case OP_ARG_DAT:
      return fmt::format("dat {}, {}", arg.dat, through);
  }
  return "";
}

void emit_heading(fmt::memory_buffer& out, const LoopShape& shape) {
  const auto append = fmt::appender(out);
  fmt::format_to(append, "// Kernel '{}' on every element of a range, generated by libop2.\n",
                 shape.kernel);
  for (std::size_t i = 0; i < shape.args.size(); ++i) {
    const ArgShape& arg = shape.args[i];
    const bool number = arg.kind == OP_ARG_IDX;
    fmt::format_to(append, "//   argument {}: {}[{}], {}, {}\n", i,
                   number ? "int" : core::cxx_name_of(arg.type), number ? 1 : arg.dim,
                   core::word_of(arg.access), describe(arg));
  }
  fmt::format_to(append, "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n{}",
                 shape.constants.empty() ? "" : "\n");
  for (const ConstantShape& constant : shape.constants) {
    const std::string size = constant.dim > 1 ? fmt::format("[{}]", constant.dim) : "";
    fmt::format_to(append, "extern const {} {}{} __asm__(\"{}\");\n",
                   core::cxx_name_of(constant.type), constant.name, size,
                   constant_symbol(constant.name));
  }
}

/// Copies the blocks of reduced globals into local variables, or back.
void emit_block_copies(fmt::memory_buffer& out, const std::vector<ArgShape>& args, bool back) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_local_block(args[i])) continue;
    if (!back) {
      fmt::format_to(fmt::appender(out), "  {} op2_local{}[{}];\n", core::cxx_name_of(args[i].type),
                     i, args[i].dim);
    }
    fmt::format_to(fmt::appender(out),
                   "  __builtin_memcpy(op2_{0}{2}, op2_{1}{2}, sizeof op2_local{2});\n",
                   back ? "global" : "local", back ? "local" : "global", i);
  }
}

void emit_body(fmt::memory_buffer& out, const LoopShape& shape) {
  const auto append = fmt::appender(out);
  std::map<int, bool> loaded;
  for (const ArgShape& arg : shape.args) {
    if (!is_indirect(arg) || std::exchange(loaded[arg.index], true)) continue;
    fmt::format_to(append,
                   "    const int op2_row{0} = op2_index{0}[op2_element * op2_stride{0}];\n",
                   arg.index);
  }
  std::vector<std::string> actual;
  for (std::size_t i = 0; i < shape.args.size(); ++i) {
    const ArgShape& arg = shape.args[i];
    if (is_number(arg)) {
      fmt::format_to(append,
                     "    int op2_number{0} = op2_numbers{0} ? op2_numbers{0}[{1}] : "
                     "static_cast<int>({1});\n",
                     i, row_of(arg));
    }
    actual.push_back(actual_argument(arg, i));
  }
  fmt::format_to(append, "    [[_Clang::__always_inline__]] ::{}(\n        {});\n", shape.kernel,
                 fmt::join(actual, ",\n        "));
}

void emit_loop(fmt::memory_buffer& out, const LoopShape& shape) {
  const auto append = fmt::appender(out);
  std::string declarations, values;
  for (const Parameter& parameter : parameters_of(shape.args)) {
    declarations += ",\n    " + parameter.declaration;
    values += ",\n      " + parameter.value;
  }
  fmt::format_to(append, "\nstatic void op2_run(long op2_begin, long op2_end{}) {{\n",
                 declarations);
  emit_block_copies(out, shape.args, false);
  fmt::format_to(append,
                 "  for (long op2_element = op2_begin; op2_element < op2_end; ++op2_element) {{\n");
  emit_body(out, shape);
  fmt::format_to(append, "  }}\n");
  emit_block_copies(out, shape.args, true);
  fmt::format_to(append,
                 "}}\n\nextern \"C\" void {}(long op2_begin, long op2_end, "
                 "const op2_binding* op2_args) {{\n  op2_run(op2_begin, op2_end{});\n}}\n",
                 range_symbol, values);
}

}  // namespace

std::string constant_symbol(const std::string& name) {
  return "op2_const_" + name;
}

std::string emit_cpu(const LoopShape& shape) {
  fmt::memory_buffer out;
  emit_heading(out, shape);
  out.append(binding_struct);
  if (std::any_of(shape.args.begin(), shape.args.end(), is_wide)) out.append(wide_struct);
  fmt::format_to(fmt::appender(out), "\n#line 1 \"{}\"\n{}\n#line 1 \"{}\"", shape.kernel,
                 shape.text, generated_file);
  emit_loop(out, shape);
  return fmt::to_string(out);
}

}  // namespace op2::jit
