// SPDX-License-Identifier: BSD-3-Clause
// What a reduction over the ranks costs, by the library and by MPI alone, alternately. Run it under
// mpirun; the root prints a line of JSON per round, microseconds by the slowest rank.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include <CLI/CLI.hpp>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <comm/messages/message_layer.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/exact_sum.hpp>

#include "stopwatch.hpp"

using namespace op2;

namespace {

/// The words of a sum of double on its way over the ranks.
using Words = std::array<std::int64_t, core::ExactSum<double>::words>;

struct Figure {
  const char* name;
  std::function<void()> action;
};

double slowest_microseconds(int repeats, const std::function<void()>& action) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double mine = 1e3 / repeats * bench::milliseconds([&] {
                        for (int k = 0; k < repeats; ++k) action();
                      });
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void measure(comm::Communicator& ranks, int rounds, int repeats) {
  double one = 1.0 / (1 + ranks.rank()), all = 0;
  Words words{}, summed{};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(comm::ReductionBlock) / sizeof(std::int64_t), MPI_INT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op fold = MPI_OP_NULL;
  MPI_Op_create(
      [](void* from, void* to, int* count, MPI_Datatype*) {
        for (int k = 0; k < *count; ++k)
          static_cast<comm::ReductionBlock*>(to)[k].fold(
              static_cast<const comm::ReductionBlock*>(from)[k]);
      },
      1, &fold);
  comm::ReductionBlock block, folded;
  block.sums = words.size();
  core::ExactSum<double> sum;
  sum.add(one);
  const comm::FoldedValues exact[] = {{Type::f64, comm::Fold::sum, 1, &sum, true}};
  const comm::FoldedValues greatest[] = {{Type::f64, comm::Fold::greatest, 1, &one}};
  const Figure figures[] = {
      {"MPI_Allreduce of one double",
       [&] { MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
      {"MPI_Allreduce of the words of an exact sum, by MPI_SUM",
       [&] {
         MPI_Allreduce(words.data(), summed.data(), words.size(), MPI_INT64_T, MPI_SUM,
                       MPI_COMM_WORLD);
       }},
      {"MPI_Allreduce of a block, by the library's operation",
       [&] { MPI_Allreduce(&block, &folded, 1, type, fold, MPI_COMM_WORLD); }},
      {"the library's exact sum",
       [&] {
         sum = core::ExactSum<double>();  // the number of ranks for which words suffice is limited
         comm::reduce_values(ranks, exact);
       }},
      {"the library's maximum", [&] { comm::reduce_values(ranks, greatest); }},
  };
  for (int round = -1; round < rounds; ++round)  // the first one is not counted
    for (const Figure& figure : figures) {
      const double us = slowest_microseconds(repeats, figure.action);
      if (ranks.is_root() && round >= 0)
        std::printf("{\"figure\": \"%s\", \"ranks\": %d, \"us\": %.4f}\n", figure.name,
                    ranks.size(), us);
    }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What a reduction over the ranks costs");
  int rounds = 15, repeats = 2000;
  app.add_option("--rounds", rounds)->capture_default_str();
  app.add_option("--repeats", repeats, "reductions in one measurement")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    op_init(argc, argv, 0);
    measure(api::running().ranks(), rounds, repeats);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reduction_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
