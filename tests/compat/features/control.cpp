// SPDX-License-Identifier: BSD-3-Clause
// Globals that the program uses between loops: start values, and results that decide what comes
// next.
#include "features.hpp"

namespace features {
namespace {

void add(const double* value, double* sum) {
  *sum += *value;
}
void add_ends(const double* left, const double* right, double* sum) {
  *sum += *left * *right;
}
void lower(const double* value, double* least) {
  if (*value < *least) *least = *value;
}
void scale(const double* factor, double* value) {
  *value *= *factor;
}
void three_results(const double* value, double* sum, float* least, int* count, ll* most) {
  *sum += *value;
  *least = MIN(*least, static_cast<float>(*value));
  *count += 1;
  *most = MAX(*most, static_cast<ll>(*value));
}
void step_of(const double* direction, const double* alpha, double* solution, double* squares) {
  *solution += *alpha * *direction;
  *squares += *solution * *solution;
}

void any_equal(const int* value, const int* wanted, bool* any) {
  *any += *value == *wanted;
}

double sum_of(const Values<double>& values) {
  double sum = 0;
  for (int k = 0; k < values.size(); ++k) sum += values[k];
  return sum;
}

void inc_start_counts_once(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  double sum = 1000;
  for (int step = 1; step < 4; ++step) {
    op_par_loop(add, "add", mesh.nodes.set, op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    expect("sum", sum, 1000 + step * sum_of(x));
  }
}

void inc_indirect(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  double sum = 3, wanted = 3;
  op_par_loop(add_ends, "add_ends", mesh.edges.set,
              op_arg_dat(value, 0, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_dat(value, 1, mesh.edges_to_nodes, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  for (int e = 0; e < mesh.edges.total; ++e)
    wanted += x[mesh.edge_nodes[2 * e]] * x[mesh.edge_nodes[2 * e + 1]];
  expect("sum", sum, wanted);
}

void min_reads_its_start(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  double wanted = x[0];
  for (int k = 0; k < x.size(); ++k) wanted = MIN(wanted, x[k]);
  for (double start : {-7.0, 0.5, 1e9}) {
    double least = start;
    op_par_loop(lower, "lower", mesh.nodes.set, op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&least, 1, "double", OP_MIN));
    expect("least", least, MIN(start, wanted));
  }
}

void several_reductions(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  double sum = 0;
  float least = 50;
  int count = 0;
  ll most = -1;
  op_par_loop(three_results, "three_results", mesh.nodes.set,
              op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "float", OP_MIN),
              op_arg_gbl(&count, 1, "int", OP_INC), op_arg_gbl(&most, 1, "ll", OP_MAX));
  float lowest = 50;
  double highest = -1;
  for (int k = 0; k < x.size(); ++k) {
    lowest = MIN(lowest, static_cast<float>(x[k]));
    highest = MAX(highest, x[k]);
  }
  expect("sum", sum, sum_of(x));
  expect("least", least, lowest);
  expect("count", count, x.size());
  expect("most", most, static_cast<ll>(highest));
}

void inc_of_bool_is_any(const Mesh& mesh) {
  Values<int> x = numbers<int>(mesh.nodes.total, 1);
  x[70] = 50;
  op_dat value = declare(mesh.nodes, 1, x);
  for (int wanted : {50, 51, 3}) {
    bool any = false, start = true;
    op_par_loop(any_equal, "any_equal", mesh.nodes.set,
                op_arg_dat(value, -1, OP_ID, 1, "int", OP_READ),
                op_arg_gbl(&wanted, 1, "int", OP_READ), op_arg_gbl(&any, 1, "bool", OP_INC));
    op_par_loop(any_equal, "any_equal", mesh.nodes.set,
                op_arg_dat(value, -1, OP_ID, 1, "int", OP_READ),
                op_arg_gbl(&wanted, 1, "int", OP_READ), op_arg_gbl(&start, 1, "bool", OP_INC));
    expect("any", any, wanted != 51);
    expect("true from the start", start, true);
  }
}

void result_feeds_next_loop(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  Values<double> direction = numbers<double>(mesh.nodes.total, 2);
  op_dat solution = declare(mesh.nodes, 1, x), along = declare(mesh.nodes, 1, direction);
  double alpha = 1;
  for (int step = 0; step < 3; ++step) {
    double squares = 0, wanted = 0;
    op_par_loop(step_of, "step_of", mesh.nodes.set,
                op_arg_dat(along, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&alpha, 1, "double", OP_READ),
                op_arg_dat(solution, -1, OP_ID, 1, "double", OP_INC),
                op_arg_gbl(&squares, 1, "double", OP_INC));
    for (int k = 0; k < x.size(); ++k) {
      x[k] += alpha * direction[k];
      wanted += x[k] * x[k];
    }
    expect("squares", squares, wanted);
    alpha = static_cast<double>(static_cast<ll>(squares) % 5);
  }
  expect_dat("solution", solution, mesh.nodes, 1, x);
}

void result_decides(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  const double factor = 0.5;
  double sum = 1e9, wanted = sum_of(x);
  int steps = 0, wanted_steps = 1;
  for (; wanted >= 3; wanted *= factor) ++wanted_steps;
  while (sum >= 3) {
    sum = 0;
    op_par_loop(add, "add", mesh.nodes.set, op_arg_dat(value, -1, OP_ID, 1, "double", OP_READ),
                op_arg_gbl(&sum, 1, "double", OP_INC));
    op_par_loop(scale, "scale", mesh.nodes.set,
                op_arg_gbl(&factor, 1, "double", OP_READ),  // of a variable that is const
                op_arg_dat(value, -1, OP_ID, 1, "double", OP_RW));
    ++steps;
  }
  expect("steps", steps, wanted_steps);
  expect("sum", sum, wanted);
}

void read_global_changes(const Mesh& mesh) {
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  for (double factor = 1; factor < 5; ++factor) {  // gone when the loops run
    op_par_loop(scale, "scale", mesh.nodes.set, op_arg_gbl(&factor, 1, "double", OP_READ),
                op_arg_dat(value, -1, OP_ID, 1, "double", OP_RW));
  }
  for (int k = 0; k < x.size(); ++k) x[k] *= 24;
  expect_dat("value", value, mesh.nodes, 1, x);
}

}  // namespace

Features control_features() {
  return {{"inc_start_counts_once", inc_start_counts_once},
          {"inc_indirect", inc_indirect},
          {"min_reads_its_start", min_reads_its_start},
          {"several_reductions", several_reductions},
          {"inc_of_bool_is_any", inc_of_bool_is_any},
          {"result_feeds_next_loop", result_feeds_next_loop},
          {"result_decides", result_decides},
          {"read_global_changes", read_global_changes}};
}

}  // namespace features
