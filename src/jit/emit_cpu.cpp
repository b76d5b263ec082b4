// SPDX-License-Identifier: BSD-3-Clause
#include <jit/emit_cpu.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

/// Blocks of reduced globals up to this dim are kept in local variables, hence in registers: a
/// store to memory in every iteration would be slow and prevent vectorisation.
constexpr int largest_local_block = 16;

constexpr std::string_view binding_struct = R"(
namespace op2_generated {

struct ArgBinding {
  void* base;
  const int* index;
  long index_stride;
};
)";

constexpr std::string_view wide_struct = R"(
// `long` and `long long` are the same size: becomes a pointer to whichever the kernel takes.
template <class A, class B>
struct Either {
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
          fmt::format("static_cast<{}*>(args[{}].base)", type, position)};
}

/// One pointer for each distinct dat, because only different dats are sure not to alias; one index
/// pointer for each distinct column of a map; one pointer for each global.
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
      parameters.push_back(base_parameter(type, fmt::format("dat{}", arg.dat), i));
    }
    if (is_global(arg)) {
      const std::string type = element_type(arg, writes(arg));
      parameters.push_back(base_parameter(type, fmt::format("global{}", i), i));
    }
    if (is_indirect(arg) && !std::exchange(column_named[arg.index], true)) {
      parameters.push_back(
          {fmt::format("const int* __restrict index{0}, long stride{0}", arg.index),
           fmt::format("args[{0}].index, args[{0}].index_stride", i)});
    }
  }
  return parameters;
}

/// The row of a dat that the argument refers to, as an expression in the loop's body.
std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? fmt::format("row{}", arg.index) : "element";
}

std::string pointer_to_data(const ArgShape& arg, std::size_t position) {
  if (arg.kind == OP_ARG_IDX) return fmt::format("&number{}", position);
  if (arg.kind == OP_ARG_GBL) {
    return fmt::format("{}{}", is_local_block(arg) ? "local" : "global", position);
  }
  if (arg.dim == 1) return fmt::format("dat{} + {}", arg.dat, row_of(arg));
  return fmt::format("dat{} + {}L * {}", arg.dat, arg.dim, row_of(arg));
}

/// What is passed to the kernel for one argument.
std::string actual_argument(const ArgShape& arg, std::size_t position) {
  if (!arg.active) return "nullptr";
  const std::string pointer = pointer_to_data(arg, position);
  if (!is_wide(arg)) return pointer;
  const bool is_signed = arg.type == Type::i64;
  return fmt::format("Either<{}, {}{}>{{{}}}", element_type(arg, writes(arg)),
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
                   word_of(arg.access), describe(arg));
  }
  fmt::format_to(append, "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n\n");
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
      fmt::format_to(fmt::appender(out), "  {} local{}[{}];\n", core::cxx_name_of(args[i].type), i,
                     args[i].dim);
    }
    fmt::format_to(fmt::appender(out), "  __builtin_memcpy({0}{2}, {1}{2}, sizeof local{2});\n",
                   back ? "global" : "local", back ? "local" : "global", i);
  }
}

void emit_body(fmt::memory_buffer& out, const LoopShape& shape) {
  const auto append = fmt::appender(out);
  std::map<int, bool> loaded;
  for (const ArgShape& arg : shape.args) {
    if (!is_indirect(arg) || std::exchange(loaded[arg.index], true)) continue;
    fmt::format_to(append, "    const int row{0} = index{0}[element * stride{0}];\n", arg.index);
  }
  std::vector<std::string> actual;
  for (std::size_t i = 0; i < shape.args.size(); ++i) {
    const ArgShape& arg = shape.args[i];
    if (arg.active && arg.kind == OP_ARG_IDX) {
      fmt::format_to(append, "    int number{} = static_cast<int>({});\n", i, row_of(arg));
    }
    actual.push_back(actual_argument(arg, i));
  }
  fmt::format_to(append, "    [[clang::always_inline]] ::{}(\n        {});\n", shape.kernel,
                 fmt::join(actual, ",\n        "));
}

void emit_loop(fmt::memory_buffer& out, const LoopShape& shape) {
  const auto append = fmt::appender(out);
  std::string declarations, values;
  for (const Parameter& parameter : parameters_of(shape.args)) {
    declarations += ",\n    " + parameter.declaration;
    values += ",\n      " + parameter.value;
  }
  fmt::format_to(append, "\nstatic void run(long begin, long end{}) {{\n", declarations);
  emit_block_copies(out, shape.args, false);
  fmt::format_to(append, "  for (long element = begin; element < end; ++element) {{\n");
  emit_body(out, shape);
  fmt::format_to(append, "  }}\n");
  emit_block_copies(out, shape.args, true);
  fmt::format_to(append,
                 "}}\n\nextern \"C\" void {}(long begin, long end, const ArgBinding* args) {{\n"
                 "  run(begin, end{});\n}}\n\n}}  // namespace op2_generated\n",
                 range_symbol, values);
}

}  // namespace

std::string constant_symbol(const std::string& name) {
  return "op2_const_" + name;
}

std::string emit_cpu(const LoopShape& shape) {
  fmt::memory_buffer out;
  emit_heading(out, shape);
  fmt::format_to(fmt::appender(out), "#line 1 \"{}\"\n{}\n#line 1 \"{}\"", shape.kernel, shape.text,
                 generated_file);
  out.append(binding_struct);
  if (std::any_of(shape.args.begin(), shape.args.end(), is_wide)) out.append(wide_struct);
  emit_loop(out, shape);
  return fmt::to_string(out);
}

}  // namespace op2::jit
