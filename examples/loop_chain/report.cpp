// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cstddef>
#include <cstdio>
#include <string>

namespace loop_chain {

namespace {

constexpr int figures = 12;
static_assert(sizeof(Costs) == figures * sizeof(double));

using Figures = std::array<double, figures>;

struct Figure {
  const char* name;
  double Costs::* value;
};
constexpr Figure all_figures[figures] = {
    {"chains", &Costs::chains},
    {"exchanges", &Costs::exchanges},
    {"messages", &Costs::messages},
    {"bytes", &Costs::bytes},
    {"packed_rows", &Costs::packed_rows},
    {"interior_iterations", &Costs::interior_iterations},
    {"boundary_iterations", &Costs::boundary_iterations},
    {"redundant_iterations", &Costs::redundant_iterations},
    {"update_iterations", &Costs::update_iterations},
    {"flux_iterations", &Costs::flux_iterations},
    {"seconds", &Costs::seconds},
    {"wait_seconds", &Costs::wait_seconds},
};

Figures figures_of(const Costs& costs) {
  Figures values{};
  for (std::size_t i = 0; i < figures; ++i) values[i] = costs.*all_figures[i].value;
  return values;
}

Costs costs_of(const Figures& values) {
  Costs costs{};
  for (std::size_t i = 0; i < figures; ++i) costs.*all_figures[i].value = values[i];
  return costs;
}

OP_KERNEL(add_up, (const double* mine, double* sum, double* most), {
  for (int i = 0; i < 12; ++i) {
    sum[i] += mine[i];
    most[i] = mine[i] > most[i] ? mine[i] : most[i];
  }
});

std::string json_of(const Costs& costs) {
  std::string text;
  for (const Figure& figure : all_figures) {
    char item[80];
    std::snprintf(item, sizeof item, "%s\"%s\": %.9g", text.empty() ? "" : ", ", figure.name,
                  costs.*figure.value);
    text += item;
  }
  return '{' + text + '}';
}

void print_line(const char* what, const Summary& summary, double Costs::* figure) {
  op_printf("  %-22s %12.0f in all, %10.0f on one rank\n", what, summary.sum.*figure,
            summary.most.*figure);
}

}  // namespace

Costs counted_costs(bool feedback) {
  const op_chain_statistics counted = op_get_chain_statistics();
  return {.chains = static_cast<double>(counted.chains),
          .exchanges = static_cast<double>(counted.exchanges),
          .messages = static_cast<double>(counted.messages),
          .bytes = static_cast<double>(counted.bytes),
          .packed_rows = static_cast<double>(counted.packed_rows),
          .interior_iterations = static_cast<double>(counted.interior_iterations),
          .boundary_iterations = static_cast<double>(counted.boundary_iterations),
          .redundant_iterations = static_cast<double>(counted.redundant_iterations),
          .update_iterations = static_cast<double>(
              op_get_loop_iterations(feedback ? "update_with_feedback" : "update")),
          .flux_iterations = static_cast<double>(op_get_loop_iterations("edge_flux")),
          .seconds = 0,
          .wait_seconds = counted.wait_seconds};
}

Costs plus(const Costs& costs, double factor, const Costs& other) {
  Costs result{};
  for (const Figure& figure : all_figures)
    result.*figure.value = costs.*figure.value + factor * other.*figure.value;
  return result;
}

Summary summarise(const Costs& mine) {
  const Figures values = figures_of(mine);
  Figures sum{}, most{};
  const op_set ranks = op_decl_set(1, "ranks");  // one element on each
  const op_dat costs = op_decl_dat(ranks, figures, values, "costs");
  op_par_loop(add_up, "add_up", ranks, op_arg_dat(costs, OP_READ),
              op_arg_gbl(sum, figures, "double", OP_INC),
              op_arg_gbl(most, figures, "double", OP_MAX));
  return {costs_of(sum), costs_of(most), op_get_chain_statistics().layers};
}

void print(const Options& options, const Grid& grid, const Summary& summary) {
  const double executions = 2.0 * options.pairs * static_cast<double>(grid.edges());
  op_printf("one chain of %d x (update, edge_flux), update %s the flux, average of %d:\n",
            options.pairs, options.feedback() ? "reads" : "does not read", options.repeats);
  op_printf("  layers exchanged       %12d, in %.0f exchanges\n", summary.layers,
            summary.most.exchanges);
  print_line("messages", summary, &Costs::messages);
  print_line("bytes", summary, &Costs::bytes);
  print_line("interior iterations", summary, &Costs::interior_iterations);
  print_line("boundary iterations", summary, &Costs::boundary_iterations);
  print_line("redundant iterations", summary, &Costs::redundant_iterations);
  op_printf("  time                   %12.6f ms, %.2f ns per edge and loop on %d rank%s\n",
            1e3 * summary.most.seconds, 1e9 * summary.most.seconds * op_ranks() / executions,
            op_ranks(), op_ranks() == 1 ? "" : "s");
}

void print_json(const Options& options, const Grid& grid, const Summary& summary,
                const Comparison& comparison, bool passed) {
  op_printf(
      "{\"ranks\": %d, \"dim\": %d, \"cells\": %d, \"nodes\": %lld, \"edges\": %lld, "
      "\"nchains\": %d, \"repeats\": %d, \"variant\": \"%s\", \"partitioner\": \"%s %s\", "
      "\"layers\": %d, \"sum\": %s, \"most\": %s, \"deviation\": %.3g, \"checksum\": %.12e, "
      "\"passed\": %s}\n",
      op_ranks(), grid.dim, grid.cells, static_cast<long long>(grid.nodes()),
      static_cast<long long>(grid.edges()), options.pairs, options.repeats, options.variant.c_str(),
      options.partitioner[0].c_str(), options.partitioner[1].c_str(), summary.layers,
      json_of(summary.sum).c_str(), json_of(summary.most).c_str(), comparison.deviation,
      comparison.sum_of_squares, passed ? "true" : "false");
}

}  // namespace loop_chain
