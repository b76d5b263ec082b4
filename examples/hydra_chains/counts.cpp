// SPDX-License-Identifier: BSD-3-Clause
#include "counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <op2/compat/op2_stubs.h>

namespace hydra_chains {

namespace {

OP_KERNEL(add_up, (const double* mine, const int* count, double* sum, double* most), {
  for (int i = 0; i < *count; ++i) {
    sum[i] += mine[i];
    most[i] = mine[i] > most[i] ? mine[i] : most[i];
  }
});

/// Bits of a row as numbers, multiplied with where they are: sums are exact in any order.
OP_KERNEL(add_bits, (const double* row, const int* dim, const int* index, unsigned long* sum), {
  for (int n = 0; n < *dim; ++n) {
    unsigned long bits;
    __builtin_memcpy(&bits, row + n, sizeof bits);
    bits = (bits ^ (bits >> 29)) * (2ul * (*index + 1ul) + 1);
    *sum += (bits ^ (bits >> 32)) * (2ul * n + 1);
  }
});

double seconds() {
  double cpu = 0, wall = 0;
  op_timers(&cpu, &wall);
  return wall;
}

template <class Number>
double difference(Number after, Number before) {
  return static_cast<double>(after - before);
}

/// Adds what was counted between two points.
void add_chain(Counts& total, const op_chain_statistics& before, const op_chain_statistics& after) {
  total.exchanges += difference(after.exchanges, before.exchanges);
  total.messages += difference(after.messages, before.messages);
  total.bytes += difference(after.bytes, before.bytes);
  total.packed_rows += difference(after.packed_rows, before.packed_rows);
  total.interior_iterations += difference(after.interior_iterations, before.interior_iterations);
  total.boundary_iterations += difference(after.boundary_iterations, before.boundary_iterations);
  total.redundant_iterations += difference(after.redundant_iterations, before.redundant_iterations);
  total.wait_seconds += after.wait_seconds - before.wait_seconds;
}

/// Adds `sign` times the counters that the library has now.
void add_counters(Counts& total, const Counted& counted, int sign) {
  for (std::size_t k = 0; k < counted.loops.size(); ++k) {
    const op_loop_statistics now = op_get_loop_statistics(counted.loops[k]);
    total.loops[k].interior_iterations += sign * now.interior_iterations;
    total.loops[k].boundary_iterations += sign * now.boundary_iterations;
    total.loops[k].redundant_iterations += sign * now.redundant_iterations;
  }
  for (std::size_t k = 0; k < counted.dats.size(); ++k) {
    const op_halo_statistics now = op_get_halo_statistics(counted.dats[k]);
    total.dats[k].exchanges += sign * now.exchanges;
    total.dats[k].layers += sign * now.layers;
  }
}

/// All counts as a list, and back.
template <class Visit>
void visit_all(Counts& counts, Visit&& visit) {
  for (double* count : {&counts.exchanges, &counts.messages, &counts.bytes, &counts.packed_rows,
                        &counts.interior_iterations, &counts.boundary_iterations,
                        &counts.redundant_iterations, &counts.seconds, &counts.wait_seconds})
    visit(*count);
  for (op_loop_statistics& loop : counts.loops) {
    visit(loop.interior_iterations);
    visit(loop.boundary_iterations);
    visit(loop.redundant_iterations);
  }
  for (op_halo_statistics& dat : counts.dats) {
    visit(dat.exchanges);
    visit(dat.layers);
  }
}

/// A list with a figure for each count, per execution.
std::vector<double> averages(const Record& record) {
  Counts counts = record.total();
  std::vector<double> figures;
  visit_all(counts, [&](auto& count) {
    figures.push_back(static_cast<double>(count) / std::max(1, record.executions()));
  });
  return figures;
}

/// Takes the counts of one chain from a list of all, and moves on to the next chain. Those of the
/// library are whole numbers.
void take(Counts& counts, std::vector<double>::const_iterator& figures) {
  visit_all(counts, [&](auto& count) {
    using Count = std::decay_t<decltype(count)>;
    const double figure = *figures++;
    count = std::is_integral_v<Count> ? static_cast<Count>(std::llround(figure)) : figure;
  });
}

}  // namespace

Counted counted_in(const Chain& chain) {
  Counted counted;
  for (const Loop& loop : chain.loops) {
    const std::string_view name = loop.name.name;
    if (std::ranges::find(counted.loops, name) == counted.loops.end())
      counted.loops.push_back(loop.name.name);
    for (const op_arg& arg : loop.args)
      if (arg.map != nullptr && std::ranges::find(counted.dats, arg.dat) == counted.dats.end())
        counted.dats.push_back(arg.dat);
  }
  return counted;
}

Record::Record(const Chain& chain) : chain_(&chain), counted_(counted_in(chain)) {
  total_.loops.resize(counted_.loops.size());
  total_.dats.resize(counted_.dats.size());
}

void Record::execute() {
  run(chain_->before);
  const bool counts = executions_++ >= 0;
  op2::compat::op_mpi_barrier();  // otherwise waiting for earlier loops would be in the time
  const op_chain_statistics before = op_get_chain_statistics();
  if (counts) add_counters(total_, counted_, -1);
  const double start = seconds();
  run(chain_->loops);
  const double end = seconds();
  if (!counts) return;
  total_.seconds += end - start;
  add_chain(total_, before, op_get_chain_statistics());
  add_counters(total_, counted_, 1);
}

std::vector<Summary> summarise(const Solver& solver, const std::vector<Record>& records) {
  std::vector<double> mine;
  for (const Record& record : records)
    for (const double figure : averages(record)) mine.push_back(figure);
  const int count = static_cast<int>(mine.size());
  std::vector<double> sum(mine.size()), most(mine.size());
  const op_dat figures = op_decl_dat(solver.ranks, count, mine, "figures");
  op_par_loop(add_up, "add_up", solver.ranks, op_arg_dat(figures, OP_READ),
              op_arg_gbl(&count, 1, "int", OP_READ), op_arg_gbl(sum, count, "double", OP_INC),
              op_arg_gbl(most, count, "double", OP_MAX));
  std::vector<Summary> summaries;
  auto sums = sum.cbegin(), mosts = most.cbegin();
  for (const Record& record : records) {
    Summary& made = summaries.emplace_back(
        Summary{record.chain().name, record.executions(), record.total(), record.total()});
    take(made.sum, sums);
    take(made.most, mosts);
  }
  return summaries;
}

unsigned long fingerprint(const Solver& solver) {
  unsigned long sum = 0;
  for (const op_dat dat : solver.modified()) {
    op_par_loop(add_bits, "add_bits", solver.nodes, op_arg_dat(dat, OP_READ),
                op_arg_gbl(&dat->dim, 1, "int", OP_READ), op_arg_idx(-1, OP_ID),
                op_arg_gbl(&sum, 1, "ull", OP_INC));
    sum = sum * 3 + 1;
  }
  return sum;
}

}  // namespace hydra_chains
