// SPDX-License-Identifier: BSD-3-Clause
// Constants, declared or not: a loop sees a variable of the program as it is at the loop's call.
#include "features.hpp"

double gam;           // declared before any set
double table[5];      // declared when the mesh is there
double changing = 1;  // declared again and again
double free_of_declarations = 2;
float of_float = 0.5f;
int of_int = -3;
uint of_uint = 4000000000u;
ll of_ll = -5000000000ll;
ull of_ull = 18000000000000000000ull;
bool of_bool = true;
const double never_changes = 1.0 / 3.0;

namespace features {
namespace {

double changing_here = 1;  // the same name in another unit means another variable
int list[3] = {1, 2, 3};

void use_early(double* out) {
  *out = gam * gam - 1;
}
void use_table(const int* number, double* out) {
  *out = table[*number % 5];
}
void add_changing(double* out) {
  *out = 10 * *out + changing;
}
void add_undeclared(double* out) {
  *out = 10 * *out + free_of_declarations;
}
void add_static(double* out) {
  *out = 10 * *out + changing_here + list[1];
}
double scaled(double& factor, int* values) {
  return factor + values[1];
}
void add_through_pointers(double* out) {
  int* values = list;
  *out = 10 * *out + scaled(changing_here, values);
}
void use_types(double* out, ll* wide, ull* wider) {
  out[0] = of_float;
  out[1] = of_int;
  out[2] = of_uint;
  out[3] = of_bool ? 7 : 8;
  out[4] = never_changes;
  *wide = of_ll;
  *wider = of_ull;
}
void with_local(const double* in, double* out) {
  const double gam = 4;  // not the variable of the program
  *out = gam * *in;
}

/// All elements of a dat with one value.
void expect_all(const char* what, op_dat dat, const Part& part, double wanted) {
  expect_dat(what, dat, part, 1, Values<double>(part.total, wanted));
}

void const_before_sets(const Mesh& mesh) {
  op_dat out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(use_early, "use_early", mesh.nodes.set,
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  expect_all("value", out, mesh.nodes, 1.4 * 1.4 - 1);
}

void const_array(const Mesh& mesh) {
  Values<double> wanted(mesh.nodes.total);
  for (int k = 0; k < 5; ++k) table[k] = k * k + 1;
  op_decl_const(5, "double", table);
  op_dat out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(use_table, "use_table", mesh.nodes.set, op_arg_idx(-1, OP_ID),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  for (int k = 0; k < 5; ++k) table[k] = -1;
  for (int k = 0; k < wanted.size(); ++k) wanted[k] = (k % 5) * (k % 5) + 1;
  expect_dat("value", out, mesh.nodes, 1, wanted);
}

void const_repeated(const Mesh& mesh) {
  op_dat out = declare_zeros<double>(mesh.nodes, 1);
  for (double value : {1.0, 2.0, 3.0}) {
    changing = value;
    op_decl_const(1, "double", &changing);
    op_par_loop(add_changing, "add_changing", mesh.nodes.set,
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_RW));
  }
  expect_all("value", out, mesh.nodes, 123);
}

void const_changed_undeclared(const Mesh& mesh) {
  op_dat out = declare_zeros<double>(mesh.nodes, 1), other = declare_zeros<double>(mesh.nodes, 1);
  changing = 4;
  op_decl_const(1, "double", &changing);
  for (double value : {5.0, 6.0, 7.0}) {
    changing = free_of_declarations = value;  // and no word to the library
    op_par_loop(add_changing, "add_changing", mesh.nodes.set,
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_RW));
    op_par_loop(add_undeclared, "add_undeclared", mesh.nodes.set,
                op_arg_dat(other, -1, OP_ID, 1, "double", OP_RW));
  }
  changing = free_of_declarations = 9;
  expect_all("declared once", out, mesh.nodes, 567);
  expect_all("never declared", other, mesh.nodes, 567);
}

void const_of_this_unit(const Mesh& mesh) {
  op_dat out = declare_zeros<double>(mesh.nodes, 1), other = declare_zeros<double>(mesh.nodes, 1);
  for (int value : {1, 2}) {
    changing_here = value;
    list[1] = 2 * value;
    op_decl_const(1, "double", &changing_here);
    op_decl_const(3, "int", list);
    op_par_loop(add_static, "add_static", mesh.nodes.set,
                op_arg_dat(out, -1, OP_ID, 1, "double", OP_RW));
    op_par_loop(add_through_pointers, "add_through_pointers", mesh.nodes.set,
                op_arg_dat(other, -1, OP_ID, 1, "double", OP_RW));
  }
  expect_all("value", out, mesh.nodes, 36);
  expect_all("value through pointers", other, mesh.nodes, 36);
}

void const_types(const Mesh& mesh) {
  op_decl_const(1, "float", &of_float);
  op_decl_const(1, "int", &of_int);
  op_decl_const(1, "uint", &of_uint);
  op_decl_const(1, "ll", &of_ll);
  op_decl_const(1, "ull", &of_ull);
  op_decl_const(1, "bool", &of_bool);
  op_decl_const2("never_changes", 1, "double", &never_changes);
  op_dat out = declare_zeros<double>(mesh.nodes, 5), wide = declare_zeros<ll>(mesh.nodes, 1);
  op_dat wider = declare_zeros<ull>(mesh.nodes, 1);
  op_par_loop(use_types, "use_types", mesh.nodes.set,
              op_arg_dat(out, -1, OP_ID, 5, "double", OP_WRITE),
              op_arg_dat(wide, -1, OP_ID, 1, "ll", OP_WRITE),
              op_arg_dat(wider, -1, OP_ID, 1, "ull", OP_WRITE));
  const double wanted[5] = {0.5, -3, 4000000000.0, 7, 1.0 / 3.0};
  Values<double> all(5 * mesh.nodes.total);
  for (int k = 0; k < all.size(); ++k) all[k] = wanted[k % 5];
  expect_dat("value", out, mesh.nodes, 5, all);
  expect_dat("ll", wide, mesh.nodes, 1, Values<ll>(mesh.nodes.total, of_ll));
  expect_dat("ull", wider, mesh.nodes, 1, Values<ull>(mesh.nodes.total, of_ull));
}

/// Names in the program and in kernels mean what C++ says, whatever was declared.
void const_shadowed(const Mesh& mesh) {
  double gam = 77, changing = 88;  // not the variables that kernels see
  ::changing = 3;
  op_decl_const(1, "double", &gam);
  op_decl_const(1, "double", &changing);
  Values<double> ones(mesh.nodes.total, 1.0);
  op_dat in = declare(mesh.nodes, 1, ones), out = declare_zeros<double>(mesh.nodes, 1);
  op_par_loop(add_changing, "add_changing", mesh.nodes.set,
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_RW));
  expect_all("the kernel's variable", out, mesh.nodes, 3);
  op_par_loop(use_early, "use_early", mesh.nodes.set,
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  expect_all("the variable declared first", out, mesh.nodes, 1.4 * 1.4 - 1);
  op_par_loop(with_local, "with_local", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_WRITE));
  expect_all("a local variable of the kernel", out, mesh.nodes, 4);
}

}  // namespace

void declare_early_constants() {
  gam = 1.4;
  op_decl_const(1, "double", &gam);
}

Features constant_features() {
  return {{"const_before_sets", const_before_sets},
          {"const_array", const_array},
          {"const_repeated", const_repeated},
          {"const_changed_undeclared", const_changed_undeclared},
          {"const_of_this_unit", const_of_this_unit},
          {"const_types", const_types},
          {"const_shadowed", const_shadowed}};
}

}  // namespace features
