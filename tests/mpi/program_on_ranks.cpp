// SPDX-License-Identifier: BSD-3-Clause
// A program of several ranks that uses the public interface alone: program_on_ranks HOW [PREFIX].
// Rank 1 does something else than the others if HOW is
//   skip      it leaves out a loop             text      its kernel has another text
//   swap      it swaps two loops               constant  its constant has another value
//   access    its argument has another access  exit      it calls op_exit before the others
//   leaves    it ends the program              mpi       it ends MPI, while the others still
//   compute dat       its argument is another dat      throws    its host function throws global
//   its global has another value       lazy      it leaves out a lazy reduction later     it leaves
//   out a loop when two sequences have alternated for some time
// otherwise all do the same:
//   same      the calls of the cases above
//   report    loops, and the table of op_timing_output
//   files     loops, and files of a dat whose names begin with PREFIX
//   copies    all declare the whole mesh
//   finalises all end MPI before op_exit
//   divides   by zero for cells 16, 33, ..., after a random partition
//   neighbour a kernel that reads the row before its own
//   crowded   a loop whose result depends on the order of its elements, which all meet in a row
//   forgets   loops over a mesh that is distributed badly, without op_partition
// The exit code is 0, or 3 after an error, which is printed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <mpi.h>

#include <support/graph_on_ranks.hpp>

namespace {

using namespace op2::test;

bool is_odd = false;  // for a host function, which has no other way to know

void fault_of_host(double*) {
  if (is_odd) throw std::runtime_error("this host function fails");
}
const op2::TypedKernel fault("fault", "void fault(double* state) {}", &fault_of_host, __FILE__,
                             __LINE__);

void run_text(const DeclaredGraph& d, const char* source) {
  op_par_loop(op_decl_kernel("scale", source), "scale", d.cells, op_arg_dat(d.state, OP_RW));
}

OP_KERNEL(add_state, (const double* state, double* sum), { *sum += *state; });

/// Rank 1 leaves out a lazy reduction that nobody reads; then all read another.
void run_lazy(const DeclaredGraph& d) {
  const double zero = 0;
  const op_global sums[] = {op_decl_global(1, &zero, "unread"), op_decl_global(1, &zero, "read")};
  for (const op_global sum : sums) {
    if (is_odd && sum == sums[0]) continue;
    op_par_loop(add_state, "add_state", d.cells, op_arg_dat(d.state, OP_READ),
                op_arg_gbl(sum, OP_INC));
    op_flush();
  }
  double total = 0;
  op_fetch_global(sums[1], &total);
}

/// The third execution of a sequence is the first for which OP2_CHAIN=auto asks the ranks.
void run_later(const DeclaredGraph& d) {
  constexpr int learned = 2;
  for (int step = 0; step <= learned; ++step) {
    if (!(is_odd && step == learned)) run_flow(d);
    run_update(d);
    op_flush();
    run_text(d, "void scale(double* s) { *s *= 2; }");
    op_flush();
  }
}

/// Two steps; what differs is the second, so that the first has been planned and executed.
void run_differently(const DeclaredGraph& d, const std::string& how) {
  run_steps(d, 1);
  op_flush();
  const bool swaps = is_odd && how == "swap";
  if (swaps) run_update(d);
  if (!(is_odd && how == "skip")) run_flow(d);
  if (!swaps) run_update(d);
  if (how == "access")
    op_par_loop(fault, "fault", d.cells, op_arg_dat(d.state, is_odd ? OP_WRITE : OP_RW));
  if (how == "dat")
    op_par_loop(fault, "fault", d.cells, op_arg_dat(is_odd ? d.flux : d.state, OP_RW));
  if (how == "throws") op_par_loop(fault, "fault", d.cells, op_arg_dat(d.state, OP_RW));
  if (how == "text")
    run_text(d,
             is_odd ? "void scale(double* s) { *s *= 3; }" : "void scale(double* s) { *s *= 2; }");
  const double factor = is_odd && how == "constant" ? 3 : 2;
  op_decl_const(1, &factor, "factor");
  const double initial = is_odd && how == "global" ? 3 : 2;
  op_decl_global(1, &initial, "initial");
  if (how == "lazy" || how == "reduces") run_lazy(d);
  if (is_odd && how == "exit") return op_exit();
  if (is_odd && how == "leaves") std::exit(0);
  if (is_odd && how == "mpi") {
    MPI_Finalize();
    return;
  }
  if (how == "mpi") std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  run_steps(d, 1);
  op_flush();
  op_printf("nothing differs\n");
}

void write_files(const Graph& graph, const DeclaredGraph& d, const std::string& prefix) {
  std::vector<double> points;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell)
    points.insert(points.end(), {double(cell), double(cell % 7)});
  const op_dat coordinates = op_decl_dat(d.cells, 2, "double", points.data(), "points");
  const op_dat fields[] = {d.state};
  const auto write_all = [&](const char* when) {
    op_print_dat_to_txtfile(d.state, (prefix + when + ".txt").c_str());
    op_print_dat_to_binfile(d.state, (prefix + when + ".bin").c_str());
    op_write_vtu((prefix + when + ".vtu").c_str(), d.ends, coordinates, fields);
  };
  write_all(".declared");
  op_partition("RANDOM", "", d.cells, nullptr, nullptr);
  run_steps(d, 3);
  write_all(".distributed");
  op_decl_set(equal_block(10).size(), "late");
  write_all(".again");
  op_printf("%d cells are written\n", graph.cells);
}

OP_KERNEL(invert, (const double* state, double* flux), { *flux = 1 / (*state - 16); });

void run_division(const DeclaredGraph& d) {
  op_partition("RANDOM", "", d.cells, nullptr, nullptr);
  op_par_loop(invert, "invert", d.cells, op_arg_dat(d.state, OP_READ),
              op_arg_dat(d.flux, OP_WRITE));
}

OP_KERNEL(add_before, (const int* before, double* state), { *state += 0.5 * state[*before]; });

void run_neighbour(const DeclaredGraph& d) {
  op_par_loop(op_decl_kernel("scale", "void scale(double* x) { *x *= 0.1; }"), "scale", d.cells,
              op_arg_dat(d.state, OP_RW));
  std::vector<int> offsets(static_cast<std::size_t>(d.cells->size), -1);
  offsets.front() = 0;  // before the first row of a rank there is none
  const op_dat before = op_decl_dat(d.cells, 1, "int", offsets.data(), "before");
  op_par_loop(add_before, "add_before", d.cells, op_arg_dat(before, OP_READ),
              op_arg_dat(d.state, OP_RW));
}

OP_KERNEL(double_all, (double* state), { *state = 2 * *state + 1; });

void run_crowded() {
  const int edges = equal_block(1100).size();
  const std::vector<int> ends(static_cast<std::size_t>(edges), 7);
  const op_set from = op_decl_set(edges, "edges"), to = op_decl_set(edges, "cells");
  const op_map map = op_decl_map(from, to, 1, ends.data(), "ends");
  const op_dat state = op_decl_dat<double>(to, 1, nullptr, "state");
  op_par_loop(double_all, "double_all", from, op_arg_dat(state, 0, map, OP_RW));
  op_flush();
}

/// Every edge leads to cells of another rank.
void run_scattered() {
  const int edges = equal_block(9000).size(), first = equal_block(9000).begin;
  std::vector<int> ends;
  for (int k = first; k < first + edges; ++k) ends.push_back(k * 7 % 9000);
  const op_set from = op_decl_set(edges, "edges"), to = op_decl_set(edges, "cells");
  const op_map map = op_decl_map(from, to, 1, ends.data(), "ends");
  const op_dat sum = op_decl_dat<double>(to, 1, nullptr, "sum");
  const op_kernel add = op_decl_kernel("add", "void add(double* sum) { *sum += 1; }");
  for (int k = 0; k < 20; ++k) {
    op_par_loop(add, "add", from, op_arg_dat(sum, 0, map, OP_INC));
    op_flush();
  }
}

Block all_on_every_rank(int count) {
  return {0, count};
}

void run(const std::string& how, const std::string& prefix) {
  is_odd = op_rank() == 1 && how != "same" && how != "reduces";
  if (how == "forgets") return run_scattered();
  const Graph graph = ring(1000);
  const DeclaredGraph d = declare(graph, how == "copies" ? all_on_every_rank : equal_block);
  if (how == "later") return run_later(d);
  if (how == "divides") return run_division(d);
  if (how == "crowded") return run_crowded();
  if (how == "neighbour") return run_neighbour(d);
  if (how == "files") return write_files(graph, d, prefix);
  if (how != "report" && how != "finalises") return run_differently(d, how);
  run_steps(d, 3);
  if (how == "finalises")
    MPI_Finalize();
  else
    op_timing_output();
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::puts("program_on_ranks HOW [PREFIX]"), 2;
  try {
    op_init(count, words);
    run(words[1], count > 2 ? words[2] : "");
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    return 3;
  }
  return 0;
}
