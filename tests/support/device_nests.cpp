// SPDX-License-Identifier: BSD-3-Clause
#include <support/device_nests.hpp>

#include <array>
#include <cassert>
#include <cfloat>
#include <cstdio>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <airfoil/kernels.hpp>

#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

#define OP2_KERNEL_HEADER "kernel_header.h"
#include OP2_KERNEL_HEADER

namespace op2::test {
namespace {

OP_KERNEL(with_headers, (const double* x, double* y), {
  const flow::State state{2, x[0]};
  assert(state.density > 0);
  if (x[0] > 1e6) printf("large: %g\n", x[0]);
  std::array<double, 3> t{x[0], 1, DBL_EPSILON};
  y[0] = flow::speed(state) + flow::limit * t[1] + std::numbers::pi * t[2] +
         std::numeric_limits<double>::min();
});

using jit::ArgShape;
using jit::CallArg;
using jit::KernelCall;
using jit::LoopNest;

// {0} is the type of values, {1} the dim.
constexpr const char* all_accesses = R"(
void all(const {0}* a, const {0}* b, {0}* written, {0}* changed, {0}* increased, {0}* first,
         {0}* second, const {0}* const* corners, {0}** targets, {0}* here, {0}* there,
         const {0}* absent, const int* index, const int* far, const {0}* factor, {0}* sum,
         {0}* least, {0}* greatest) {{
  for (int k = 0; k < {1}; ++k) {{
    const {0} value = static_cast<{0}>(a[k] + b[k] * factor[k]);
    written[k] = absent == nullptr ? value : absent[k];
    changed[k] = static_cast<{0}>(changed[k] + value);
    increased[k] = static_cast<{0}>(increased[k] + value);
    first[k] = static_cast<{0}>(first[k] + value);
    second[k] = static_cast<{0}>(second[k] + *index - *far);
    for (int c = 0; c < 3; ++c) targets[c][k] = static_cast<{0}>(targets[c][k] + corners[c][k]);
    here[k] = static_cast<{0}>(here[k] + value);
    there[k] = static_cast<{0}>(there[k] + value);
    sum[k] = static_cast<{0}>(sum[k] + value);
    least[k] = value < least[k] ? value : least[k];
    greatest[k] = greatest[k] < value ? value : greatest[k];
  }}
}}
)";

/// A vector argument: three columns, the first of which has the others as members.
void add_vector(LoopNest& nest, int number, int dim, op_access access, Type type) {
  for (int column = 0; column < 3; ++column) {
    ArgShape arg = dat(number, dim, access, column, type, 3);
    arg.map = 1;
    nest.calls[0].args.push_back({static_cast<int>(nest.args.size()), access, column == 0 ? 3 : 0});
    nest.args.push_back(arg);
  }
}

void add(LoopNest& nest, ArgShape arg) {
  nest.calls[0].args.push_back({static_cast<int>(nest.args.size()), arg.access, 1});
  nest.args.push_back(arg);
}

KernelCall airfoil_call(const op_kernel_core& kernel, std::vector<CallArg> args) {
  static const std::vector<jit::Constant> declared = {{"gam"}, {"gm1"},  {"cfl"},
                                                      {"eps"}, {"mach"}, {"qinf", Type::f64, 4}};
  KernelCall call = jit::call_of(kernel, declared);
  call.args = std::move(args);
  return call;
}

NamedNest alone(const op_kernel_core& kernel, std::vector<ArgShape> args) {
  return {kernel.name, jit::nest_of(airfoil_call(kernel, {}), std::move(args))};
}

enum Dats { x, q, qold, adt, res, bound };

ArgShape through_map(ArgShape arg, int map) {
  arg.map = map;
  return arg;
}

ArgShape cell_corner(int column) {
  return dat(x, 2, OP_READ, column, Type::f64, 4);
}

/// save_soln, then adt_calc of the same state.
NamedNest saving_and_time_steps() {
  using namespace airfoil;
  LoopNest fused;
  fused.args = {dat(q, 4, OP_READ), dat(qold, 4, OP_WRITE)};
  for (int c = 0; c < 4; ++c) fused.args.push_back(cell_corner(c));
  fused.args.push_back(dat(adt, 1, OP_WRITE));
  fused.calls = {
      airfoil_call(*op_kernel(save_soln), {{0, OP_READ}, {1, OP_WRITE}}),
      airfoil_call(
          *op_kernel(adt_calc),
          {{2, OP_READ}, {3, OP_READ}, {4, OP_READ}, {5, OP_READ}, {0, OP_READ}, {6, OP_WRITE}})};
  return {"save_soln+adt_calc", fused};
}

/// update, then adt_calc of the new state.
NamedNest update_and_time_steps(std::vector<ArgShape> update_args) {
  using namespace airfoil;
  LoopNest fused;
  fused.args = std::move(update_args);
  fused.args[3].access = OP_RW;
  for (int c = 0; c < 4; ++c) fused.args.push_back(cell_corner(c));
  fused.calls = {
      airfoil_call(*op_kernel(update),
                   {{0, OP_READ}, {1, OP_WRITE}, {2, OP_RW}, {3, OP_READ}, {4, OP_INC}}),
      airfoil_call(
          *op_kernel(adt_calc),
          {{5, OP_READ}, {6, OP_READ}, {7, OP_READ}, {8, OP_READ}, {1, OP_READ}, {3, OP_WRITE}})};
  return {"update+adt_calc", fused};
}

}  // namespace

NamedNest nest_of_all_accesses(Type type, int dim) {
  LoopNest nest;
  nest.calls.push_back(
      {.name = "all",
       .source = fmt::format(fmt::runtime(all_accesses), core::cxx_name_of(type), dim)});
  add(nest, dat(0, dim, OP_READ, -1, type));
  add(nest, dat(0, dim, OP_READ, 1, type));
  add(nest, dat(1, dim, OP_WRITE, -1, type));
  add(nest, dat(2, dim, OP_RW, -1, type));
  add(nest, dat(3, dim, OP_INC, -1, type));
  add(nest, dat(4, dim, OP_INC, 0, type));
  add(nest, dat(4, dim, OP_INC, 1, type));
  add_vector(nest, 5, dim, OP_READ, type);
  add_vector(nest, 6, dim, OP_INC, type);
  add(nest, dat(7, dim, OP_INC, -1, type));
  add(nest, dat(7, dim, OP_INC, 0, type));
  add(nest, off(dat(8, dim, OP_READ, -1, type)));
  add(nest, element_number());
  add(nest, element_number(1));
  add(nest, global(dim, OP_READ, type));
  add(nest, global(dim, OP_INC, type));
  add(nest, global(dim, OP_MIN, type));
  add(nest, global(dim, OP_MAX, type));
  return {fmt::format("{} x{}", core::name_of(type), dim), nest};
}

std::vector<NamedNest> nests_of_all_accesses() {
  std::vector<NamedNest> nests;
  for (const Type type :
       {Type::f64, Type::f32, Type::i32, Type::u32, Type::i64, Type::u64, Type::b8})
    for (const int dim : {1, 3, 4}) nests.push_back(nest_of_all_accesses(type, dim));
  for (const int dim : {2, 17, 70}) nests.push_back(nest_of_all_accesses(Type::f64, dim));
  nests.push_back(nest_of_all_accesses(Type::f32, 2));
  return nests;
}

NamedNest nest_of_clashing_kernels() {
  LoopNest nest;
  const jit::IncludedFile of_first{"gas.h",
                                   "#pragma once\n#include \"sub/more.h\"\n"
                                   "inline double gas(double v) { return v + MORE; }\n"};
  const jit::IncludedFile more_of_first{
      "sub/more.h", "#ifndef MORE\n#include \"../sub/most.h\"\n#define MORE MOST\n#endif\n"};
  const jit::IncludedFile most_of_first{"sub/most.h", "#define MOST 1\n"};
  const jit::IncludedFile of_second{"gas.h",
                                    "#pragma once\n#include <cfloat>\n"
                                    "inline int gas(double v) { return v < DBL_MAX; }\n"};
  nest.calls.push_back(
      {.name = "step",
       .source = "#include <cmath>\n#include \"gas.h\"\n#define second third\n"
                 "#define double_of(v) (2 * (v))\n#define x op\n"
                 "extern \"C\" double cbrt(double);\nextern \"C\" double one() { return 1; }\n"
                 "struct Pair { double a; };\nstatic int count() { return 1; }\n"
                 "void step(const double* x, double* y) {\n"
                 "  const Pair p{gas(*x) * gam};\n"
                 "  *y = double_of(p.a) + ::count() * one() + std::sqrt(M_PI) * cbrt(1.0);\n}",
       .args = {{0, OP_READ}, {1, OP_WRITE}},
       .constants = {{"gam"}},
       .includes = {of_first, more_of_first, most_of_first}});
  nest.calls.push_back({.name = "step",
                        .source = "#include <cmath>\n#include \"gas.h\"\n"
                                  "extern \"C\" double one() { return 0; }\nstruct Pair { int "
                                  "n[2]; };\nstatic double count() { return M_E; }\n"
                                  "template <class T> T double_of(T v) { return v + v; }\n"
                                  "void step(double* y, const float* x) {\n"
                                  "  const Pair p{{gas(*y), static_cast<int>(gam[1])}};\n"
                                  "  *y += double_of(p.n[0]) + count() + *x + one();\n}",
                        .args = {{1, OP_RW}, {2, OP_READ}},
                        .constants = {{"gam", Type::f32, 9000}},
                        .includes = {of_second}});
  nest.args = {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE), dat(2, 1, OP_READ, 0, Type::f32)};
  return {"clashing kernels", nest};
}

NamedNest nest_of_lenient_kernel() {
  static const double table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  jit::KernelCall call{.name = "lenient",
                       .source =
                           "void lenient(double* x, const double* y, long* n, long long** v) {\n"
                           "  const_cast<double*>(y)[0] = *x * table[1][2];\n"
                           "  n[0] = *v[0] + *v[1];\n}"};
  call.constants = {{"table", Type::f64, 6, "double table[2][3]", &table}};
  call.any_const = true;
  LoopNest nest = jit::nest_of(
      std::move(call), {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE), dat(2, 1, OP_RW, -1, Type::i64),
                        dat(3, 1, OP_READ, 0, Type::i64), dat(3, 1, OP_READ, 1, Type::i64)});
  nest.calls[0].args[3].members = 2;
  nest.calls[0].args[4].members = 0;
  return {"lenient kernel", nest};
}

NamedNest nest_of_library_names() {
  return {
      "library names",
      jit::nest_of(
          {.name = "norm",
           .source =
               "#include <cassert>\n#include <cfloat>\n#include <climits>\n#include <cstddef>\n"
               "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
               "#include <limits>\n#include <utility>\n#include <math.h>\n"
               "struct double2 { double v; };\nstatic double most() { return "
               "-__builtin_huge_val(); }\n"
               "static double rsqrt(double v) { return 1 / std::sqrt(v); }\n"
               "static double pow(double x, int n) { return n > 1 ? x * x : x; }\ntemplate <class "
               "T> T "
               "clamp(T v) { return std::clamp(v, T(0), T(1)); }\n"
               "void norm(const double* x, long long* n, std::uint64_t* m) {\n"
               "  double2 d{clamp(rsqrt(x[0])) + pow(x[0], 2) + pow(x[0], 0.5) + std::pow(2, 3) + "
               "sqrt(2) + std::abs(-3L) + fabs(-1)};\n"
               "  d.v += std::fma(x[0], 2.0, 1.0f) + std::max({1.0, 2.0, x[1]}) + fmod(7, 2.5);\n"
               "  if (std::isnan(d.v) || d.v < most() || d.v > DBL_MAX) d.v = INFINITY;\n"
               "  if (d.v < std::numeric_limits<double>::epsilon()) d.v = NAN;\n"
               "  int e = 0;\n  d.v += frexp(x[0], &e) + ldexp(1.0f, e) + CHAR_BIT + INT_MAX;\n"
               "  double copy[2];\n  std::memcpy(copy, x, sizeof copy);\n  std::swap(copy[0], "
               "copy[1]);\n"
               "  assert(n != nullptr);\n  if (std::memcmp(copy, x, 8) == 0) printf(\"%g\\n\", "
               "d.v);\n"
               "  n[0] = std::llround(copy[0] + d.v) + std::numeric_limits<int>::max();\n"
               "  m[0] = UINT64_MAX - std::strlen(\"abc\") + ::lround(::floor(x[0]));\n}"},
          {dat(0, 2, OP_READ), dat(1, 1, OP_WRITE, -1, Type::i64),
           dat(2, 1, OP_WRITE, -1, Type::u64)})};
}

NamedNest nest_of_library_kernel() {
  return {"library kernel",
          jit::nest_of({.name = "library_kernel", .source = content_of(OP2_LIBRARY_KERNEL)},
                       {dat(0, 2, OP_READ), dat(1, 8, OP_WRITE)})};
}

NamedNest nest_of_headers() {
  return {"headers", jit::nest_of(jit::call_of(*op_kernel(with_headers), {}),
                                  {dat(0, 1, OP_READ), dat(1, 1, OP_WRITE)})};
}

std::vector<NamedNest> airfoil_nests() {
  using namespace airfoil;
  const auto of_cell = [](Dats which, int dim, op_access access, int column) {
    return through_map(dat(which, dim, access, column), 1);
  };
  std::vector<ArgShape> adt_args;
  for (int c = 0; c < 4; ++c) adt_args.push_back(cell_corner(c));
  adt_args.push_back(dat(q, 4, OP_READ));
  adt_args.push_back(dat(adt, 1, OP_WRITE));
  const std::vector<ArgShape> update_args = {dat(qold, 4, OP_READ), dat(q, 4, OP_WRITE),
                                             dat(res, 4, OP_RW), dat(adt, 1, OP_READ),
                                             global(1, OP_INC)};
  std::vector<NamedNest> nests = {
      alone(*op_kernel(save_soln), {dat(q, 4, OP_READ), dat(qold, 4, OP_WRITE)}),
      alone(*op_kernel(adt_calc), adt_args),
      alone(*op_kernel(res_calc),
            {dat(x, 2, OP_READ, 0), dat(x, 2, OP_READ, 1), of_cell(q, 4, OP_READ, 0),
             of_cell(q, 4, OP_READ, 1), of_cell(adt, 1, OP_READ, 0), of_cell(adt, 1, OP_READ, 1),
             of_cell(res, 4, OP_INC, 0), of_cell(res, 4, OP_INC, 1)}),
      alone(*op_kernel(bres_calc),
            {dat(x, 2, OP_READ, 0), dat(x, 2, OP_READ, 1), of_cell(q, 4, OP_READ, 0),
             of_cell(adt, 1, OP_READ, 0), of_cell(res, 4, OP_INC, 0),
             dat(bound, 1, OP_READ, -1, Type::i32)}),
      alone(*op_kernel(update), update_args)};
  nests.push_back(saving_and_time_steps());
  nests.push_back(update_and_time_steps(update_args));
  return nests;
}

NamedNest airfoil_half_step() {
  const std::vector<NamedNest> nests = airfoil_nests();
  constexpr int maps_of_each = 2;
  LoopNest all;
  for (const int part : {2, 3, 6}) {
    LoopNest nest = nests[part].nest;
    const auto before = static_cast<std::int32_t>(all.args.size());
    for (ArgShape& arg : nest.args) {
      if (arg.map >= 0) arg.map += maps_of_each * part;
      all.args.push_back(arg);
    }
    for (KernelCall& call : nest.calls) {
      for (CallArg& arg : call.args) arg.position += before;
      all.calls.push_back(std::move(call));
    }
    if (part != 6) all.gathered.push_back(static_cast<std::int32_t>(all.args.size()));
  }
  return {"half step", all};
}

std::vector<NamedNest> device_nests() {
  std::vector<NamedNest> nests = nests_of_all_accesses();
  nests.push_back(nest_of_clashing_kernels());
  nests.push_back(nest_of_lenient_kernel());
  nests.push_back(nest_of_library_names());
  nests.push_back(nest_of_library_kernel());
  nests.push_back(nest_of_headers());
  for (NamedNest& nest : airfoil_nests()) nests.push_back(std::move(nest));
  nests.push_back(airfoil_half_step());
  return nests;
}

}  // namespace op2::test
