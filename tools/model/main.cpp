// SPDX-License-Identifier: BSD-3-Clause
// op2-model: predicts the run time of a program on many ranks from one small run.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <op2/version.hpp>

#include <comm/messages/launcher.hpp>

#include "../wrong_request.hpp"
#include "commands.hpp"
#include "machine.hpp"

namespace op2::model {
namespace {

using Command = std::function<int()>;

constexpr int most_parts = 1 << 20;
constexpr int most_layers = 64;
constexpr double least_scale = 1e-6, most_scale = 1e6;

/// What is wrong with the path of a file to be written after much work; empty: nothing.
std::string wrong_place(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() || std::filesystem::is_directory(folder)
             ? ""
             : fmt::format("there is no folder '{}'", folder.string());
}

void describe_cut(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "cut", "Cut the mesh into parts, in this process; writes cut_P.json for each number P");
  const auto options = std::make_shared<CutOptions>();
  sub.add_option("RUN", options->run, "what OP2_MODEL has written")->required();
  sub.add_option("-P,--parts", options->parts, "numbers of ranks, separated by commas")
      ->required()
      ->delimiter(',')
      ->check(CLI::Range(1, most_parts));
  sub.add_option("--maps", options->maps, "the file with the maps; default: beside RUN");
  sub.add_option("--folder", options->folder, "where to write")
      ->capture_default_str()
      ->check(CLI::ExistingDirectory);
  sub.add_option("--layers", options->layers, "halo layers; default: OP2_DEPTH_MAX of the run")
      ->check(CLI::Range(1, most_layers));
  sub.callback([&command, options] { command = [options] { return cut(*options); }; });
}

void describe_predict(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "predict", "Seconds of each flush and loop with OP2_CHAIN=off and on, and what auto chooses");
  const auto options = std::make_shared<PredictOptions>();
  sub.add_option("RUN", options->run, "what OP2_MODEL has written")->required();
  sub.add_option("FILES", options->files, "CUT ... MACHINE: what 'cut' and 'machine' have written")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size);
  sub.add_option("--costs", options->costs,
                 "records of the same program in other sizes, or of processes that ran at once");
  sub.add_option("--scale", options->scale, "multiply the costs of loops and of packing")
      ->capture_default_str()
      ->check(CLI::Range(least_scale, most_scale));
  sub.add_option("--busy", options->busy,
                 "processes of a node that ran at once while the costs were recorded; default: the "
                 "ranks of RUN")
      ->check(CLI::Range(1, most_ranks_per_node));
  sub.add_option("--csv", options->csv, "write all figures; op2-plot-prediction draws them")
      ->check(wrong_place);
  sub.callback([&command, options] { command = [options] { return predict(*options); }; });
}

void describe_machine(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand(
      "machine", "Measure messages, packing and memory of a node; run it under mpirun");
  const auto options = std::make_shared<MachineOptions>();
  sub.add_option("--out", options->out, "the file to write")
      ->capture_default_str()
      ->check(wrong_place);
  sub.add_option("--ranks-per-node", options->ranks_per_node,
                 "of the machine to predict; needs the figures across nodes")
      ->check(CLI::Range(1, most_ranks_per_node));
  const auto across = [&](const char* flag, double& value, Limits limits, const char* help) {
    sub.add_option(flag, value, help)->check(CLI::Range(limits.least, limits.most));
  };
  across("--latency-us", options->latency_us, limits_of_microseconds,
         "across nodes; these are not measured");
  across("--overhead-us", options->overhead_us, limits_of_microseconds,
         "work of a message at each end, across nodes");
  across("--bandwidth-gbs", options->bandwidth_gbs, limits_of_gigabytes, "of a node to others");
  sub.callback([&command, options] { command = [options] { return machine(*options); }; });
}

}  // namespace
}  // namespace op2::model

int main(int argc, char** argv) {
  using namespace op2::model;
  CLI::App app(
      "Predicts the run time of a program on many ranks from one small run, which\n"
      "  OP2_MODEL=run.json program\n"
      "records. Then cut the mesh, describe the machine, and predict.",
      "op2-model");
  app.set_version_flag("--version", "op2-model " OP2_VERSION_STRING);
  app.failure_message(op2::tools::failure_message);
  app.require_subcommand(1);
  Command command;  // the one that the user chose
  describe_cut(app, command);
  describe_predict(app, command);
  describe_machine(app, command);
  if (const std::string wrong = op2::tools::unknown_command(app, argc, argv); !wrong.empty()) {
    fmt::print(stderr, "op2-model: {}\n", wrong);
    return 2;
  }
  try {
    app.parse(argc, argv);
    return command();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && op2::comm::this_launch().rank != 0)
      return 2;  // one is enough
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "op2-model: {}\n", error.what());
    return 2;
  }
}
