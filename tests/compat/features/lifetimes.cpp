// SPDX-License-Identifier: BSD-3-Clause
// Temporary dats, and what the structs of sets, maps and dats say.
#include "features.hpp"

namespace features {
namespace {

void spread(const double* weight, double* left, double* right) {
  *left += *weight;
  *right += 2 * *weight;
}
void accumulate(const double* in, double* out) {
  *out += *in;
}

/// One use of a temporary dat: it is summed up to from zero, and then added to `out`.
op_dat use_temporary(const Mesh& mesh, op_dat weight, op_dat out, const char* name) {
  op_dat temporary =
      op_decl_dat_temp(mesh.nodes.set, 1, "double", static_cast<double*>(NULL), name);
  op_par_loop(spread, "spread", mesh.edges.set, op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(temporary, 0, mesh.edges_to_nodes, 1, "double", OP_INC),
              op_arg_dat(temporary, 1, mesh.edges_to_nodes, 1, "double", OP_INC));
  op_par_loop(accumulate, "accumulate", mesh.nodes.set,
              op_arg_dat(temporary, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(out, -1, OP_ID, 1, "double", OP_INC));
  return temporary;
}

/// What `times` uses add to a dat of zeros.
Values<double> summed(const Mesh& mesh, const Values<double>& weights, int times) {
  Values<double> wanted(mesh.nodes.total);
  for (int k = 0; k < 2 * weights.size(); ++k)
    wanted[mesh.edge_nodes[k]] += times * (1 + k % 2) * weights[k / 2];
  return wanted;
}

void temp_begins_with_zeros(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.edges.total, 1);
  op_dat weight = declare(mesh.edges, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  for (int step = 1; step < 4; ++step) {
    op_dat temporary = use_temporary(mesh, weight, out, "temporary");
    expect_dat("temporary", temporary, mesh.nodes, 1, summed(mesh, w, 1));
    expect_dat("sum", out, mesh.nodes, 1, summed(mesh, w, step));
    expect("freed", op_free_dat_temp(temporary), 1);
  }
}

void temp_freed_while_loops_wait(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.edges.total, 1);
  op_dat weight = declare(mesh.edges, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  for (int step = 0; step < 5; ++step)
    op_free_dat_temp(use_temporary(mesh, weight, out, "temporary"));
  expect_dat("sum", out, mesh.nodes, 1, summed(mesh, w, 5));
}

void temp_twice_with_one_name(const Mesh& mesh) {
  Values<double> w = numbers<double>(mesh.edges.total, 1);
  op_dat weight = declare(mesh.edges, 1, w), out = declare_zeros<double>(mesh.nodes, 1);
  op_dat first = use_temporary(mesh, weight, out, "same");
  op_dat second = use_temporary(mesh, weight, out, "same");
  expect("they are two", first != second, true);
  expect("first freed", op_free_dat_temp(first), 1);
  expect_dat("second", second, mesh.nodes, 1, summed(mesh, w, 1));
  expect("second freed", op_free_dat_temp(second), 1);
  expect_dat("sum", out, mesh.nodes, 1, summed(mesh, w, 2));
}

void temp_is_not_this(const Mesh& mesh) {
  op_dat dat = declare_zeros<double>(mesh.nodes, 1);
  expect("freeing what is not temporary", op_free_dat_temp(dat), -1);
  op_dat temporary = op_decl_dat_temp_char(mesh.nodes.set, 3, "int", 4, "of_bytes");
  expect_dat("zeros", temporary, mesh.nodes, 3, Values<int>(3 * mesh.nodes.total));
  expect("freed", op_free_dat_temp_char(temporary), 1);
}

void fields_of_structs(const Mesh& mesh) {
  op_dat dat = declare_zeros<float>(mesh.nodes, 3, ("of_" + mesh.name).c_str());
  expect("dim of a dat", dat->dim, 3);
  expect("size of a dat", dat->size, 12);
  expect("set of a dat", dat->set == mesh.nodes.set, true);
  expect("name of a dat", std::string(dat->name), "of_" + mesh.name);
  expect("type of a dat", std::string(dat->type), std::string("float"));
  expect("name of a set", std::string(mesh.nodes.set->name), "nodes_" + mesh.name);
  expect("name of a map", std::string(mesh.edges_to_nodes->name), "edges_to_nodes_" + mesh.name);
  expect("dim of a map", mesh.cells_to_nodes->dim, 4);
  expect("from", mesh.edges_to_nodes->from == mesh.edges.set, true);
  expect("to", mesh.edges_to_nodes->to == mesh.nodes.set, true);
  expect("an index differs", mesh.nodes.set->index != mesh.edges.set->index, true);
}

void add_number(const int* number, int* sum) {
  *sum += *number;
}

/// Blocks as declared, or those of the owners: together they are the set.
void size_of_set(const Mesh& mesh) {
  expect("op_get_size", static_cast<int>(op_get_size(mesh.edges.set)), mesh.edges.total);
  const Part ranks = {op_decl_set(1, ("sizes_" + mesh.name).c_str()), number_of_ranks(),
                      rank_of_this(), 1};
  int size = mesh.edges.set->size, sum = 0;
  op_dat sizes = op_decl_dat(ranks.set, 1, "int", &size, "sizes");
  op_par_loop(add_number, "add_number", ranks.set, op_arg_dat(sizes, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  expect("all sizes", sum, mesh.edges.total);
  expect("halo sizes are not negative",
         mesh.edges.set->exec_size >= 0 && mesh.edges.set->nonexec_size >= 0 &&
             mesh.edges.set->core_size <= mesh.edges.set->size,
         true);
  size = mesh.edges.set->size;  // of the owner
  sum = 0;
  op_dat owned = op_decl_dat(ranks.set, 1, "int", &size, "owned");
  op_par_loop(add_number, "add_number", ranks.set, op_arg_dat(owned, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  expect("all owned", sum, mesh.edges.total);
}

}  // namespace

Features lifetime_features() {
  return {{"temp_begins_with_zeros", temp_begins_with_zeros},
          {"temp_freed_while_loops_wait", temp_freed_while_loops_wait},
          {"temp_twice_with_one_name", temp_twice_with_one_name},
          {"temp_is_not_this", temp_is_not_this},
          {"fields_of_structs", fields_of_structs},
          {"size_of_set", size_of_set}};
}

}  // namespace features
