// SPDX-License-Identifier: BSD-3-Clause
// op2-model: predicts the run time of a program on many ranks from one small run.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <op2/version.hpp>

#include <comm/messages/launcher.hpp>

#include "../wrong_request.hpp"
#include "command_line.hpp"

int main(int argc, char** argv) {
  using namespace op2::model;
  CLI::App app(
      "Predicts the run time of a program on many ranks from one small run, which\n"
      "  OP2_MODEL=run.json program\n"
      "records. Then cut the mesh, describe the machine, and predict.",
      "op2-model");
  app.set_version_flag("--version", "op2-model " OP2_VERSION_STRING);
  app.failure_message(op2::tools::failure_message);
  Command command;
  describe(app, command);
  if (const std::string wrong = op2::tools::unknown_command(app, argc, argv); !wrong.empty()) {
    fmt::print(stderr, "op2-model: {}\n", wrong);
    return 2;
  }
  try {
    app.parse(argc, argv);
    return command();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && op2::comm::launched_rank() != 0) return 2;  // one is enough
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "op2-model: {}\n", error.what());
    return 2;
  }
}
