// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cstddef>
#include <cstdio>
#include <string>

namespace hydra_chains {

namespace {

/// As printf, into a string.
template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// "qp 6 x 1, ql 18 x 1": values per row times layers of every dat that is exchanged.
std::string layers_of(const Counted& counted, const Counts& counts) {
  std::string list;
  for (std::size_t k = 0; k < counted.dats.size(); ++k)
    if (counts.dats[k].exchanges > 0)
      list += text("%s%s %d x %lld", list.empty() ? "" : ", ", counted.dats[k]->name,
                   counted.dats[k]->dim, static_cast<long long>(counts.dats[k].layers));
  return list;
}

/// Values of a halo row that an execution exchanges.
double values_per_row(const Counted& counted, const Counts& counts) {
  double values = 0;
  for (std::size_t k = 0; k < counted.dats.size(); ++k)
    values += static_cast<double>(counts.dats[k].exchanges) * counted.dats[k]->dim;
  return values;
}

void print_chain(const Counted& counted, const Summary& summary) {
  const Counts &sum = summary.sum, &most = summary.most;
  op_printf("%-8s %5d %9.0f %8.0f %10.3f %7.0f %11.0f %10.0f %9.0f %9.1f  %s\n",
            summary.chain.c_str(), summary.executions, most.exchanges, sum.messages,
            1e-6 * sum.bytes, values_per_row(counted, most), sum.interior_iterations,
            sum.boundary_iterations, sum.redundant_iterations, 1e6 * most.seconds,
            layers_of(counted, most).c_str());
  for (std::size_t k = 0; k < counted.loops.size(); ++k)
    op_printf("  %-50s %11lld %10lld %9lld\n", counted.loops[k],
              static_cast<long long>(sum.loops[k].interior_iterations),
              static_cast<long long>(sum.loops[k].boundary_iterations),
              static_cast<long long>(sum.loops[k].redundant_iterations));
}

std::string json_of(const Counts& counts) {
  return text(
      "{\"exchanges\": %.9g, \"messages\": %.9g, \"bytes\": %.12g, \"packed_rows\": %.9g, "
      "\"core\": %.9g, \"rest\": %.9g, \"redundant\": %.9g, \"seconds\": %.9g, "
      "\"wait_seconds\": %.9g, ",
      counts.exchanges, counts.messages, counts.bytes, counts.packed_rows,
      counts.interior_iterations, counts.boundary_iterations, counts.redundant_iterations,
      counts.seconds, counts.wait_seconds);
}

/// "loop": [core, rest, redundant], ...
std::string json_of_loops(const Counted& counted, const Counts& counts) {
  std::string list;
  for (std::size_t k = 0; k < counted.loops.size(); ++k)
    list += text("%s\"%s\": [%lld, %lld, %lld]", k == 0 ? "" : ", ", counted.loops[k],
                 static_cast<long long>(counts.loops[k].interior_iterations),
                 static_cast<long long>(counts.loops[k].boundary_iterations),
                 static_cast<long long>(counts.loops[k].redundant_iterations));
  return "\"loops\": {" + list + "}}";
}

/// "dat": [dim, exchanges, layers], ...
std::string json_of_dats(const Counted& counted, const Counts& counts) {
  std::string list;
  for (std::size_t k = 0; k < counted.dats.size(); ++k)
    list += text("%s\"%s\": [%d, %lld, %lld]", k == 0 ? "" : ", ", counted.dats[k]->name,
                 counted.dats[k]->dim, static_cast<long long>(counts.dats[k].exchanges),
                 static_cast<long long>(counts.dats[k].layers));
  return "{" + list + "}";
}

std::string json_of(const Counted& counted, const Summary& summary) {
  return text("{\"chain\": \"%s\", \"executions\": %d, ", summary.chain.c_str(),
              summary.executions) +
         "\"dats\": " + json_of_dats(counted, summary.most) + ", \"sum\": " + json_of(summary.sum) +
         json_of_loops(counted, summary.sum) + ", \"most\": " + json_of(summary.most) +
         json_of_loops(counted, summary.most) + "}";
}

std::string json_of_squares(const Result& result) {
  std::string list;
  for (std::size_t k = 0; k < result.squares.size(); ++k)
    list +=
        text("%s\"%s\": %.17g", k == 0 ? "" : ", ", result.modified[k]->name, result.squares[k]);
  return "{" + list + "}";
}

}  // namespace

void print(const Options& options, const Result& result) {
  op_printf("%lld nodes on %d rank%s, numbered %s; one execution on average, over all ranks:\n",
            static_cast<long long>(options.cube().nodes()), op_ranks(), op_ranks() == 1 ? "" : "s",
            options.random ? "at random" : "by planes");
  op_printf("%-8s %5s %9s %8s %10s %7s %11s %10s %9s %9s  %s\n", "chain", "times", "exchanges",
            "messages", "MB", "values", "interior", "boundary", "redundant", "us",
            "exchanged: values x layers");
  for (std::size_t k = 0; k < result.summaries.size(); ++k)
    print_chain(result.counted[k], result.summaries[k]);
  op_printf("times: executions counted; values: of a halo row; us: of the slowest rank\n");
  for (std::size_t k = 0; k < result.squares.size(); ++k)
    op_printf("%s%s %.12e", k == 0 ? "squares: " : ", ", result.modified[k]->name,
              result.squares[k]);
  op_printf("\nnorm %.12e, fingerprint %016lx\n", result.norm, result.fingerprint);
}

void print_json(const Options& options, const Result& result) {
  std::string chains;
  for (std::size_t k = 0; k < result.summaries.size(); ++k)
    chains += (k == 0 ? "" : ", ") + json_of(result.counted[k], result.summaries[k]);
  op_printf(
      "{\"ranks\": %d, \"width\": %d, \"nodes\": %lld, \"numbering\": \"%s\", "
      "\"variant\": \"%s\", \"partitioner\": \"%s\", \"chains\": [%s], \"squares\": %s, "
      "\"norm\": %.17g, \"fingerprint\": \"%016lx\"}\n",
      op_ranks(), options.width, static_cast<long long>(options.cube().nodes()),
      options.random ? "random" : "planes", options.as_published ? "as published" : "increments",
      options.partitioner[0].c_str(), chains.c_str(), json_of_squares(result).c_str(), result.norm,
      result.fingerprint);
}

}  // namespace hydra_chains
