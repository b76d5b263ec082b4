// SPDX-License-Identifier: BSD-3-Clause
// op2-jitinspect: inspects the cache of compiled kernels, and compares the values of two runs.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "../wrong_request.hpp"
#include "command_line.hpp"
#include "store.hpp"

int main(int argc, char** argv) {
  using namespace op2::jitinspect;
  CLI::App app(
      "Inspects the cache of compiled kernels, and compares the values of two runs. Never executes "
      "or links an entry.",
      "op2-jitinspect");
  app.failure_message(op2::tools::failure_message);
  Command command;
  describe(app, command);
  if (const std::string wrong = op2::tools::unknown_command(app, argc, argv); !wrong.empty()) {
    fmt::print(stderr, "op2-jitinspect: {}\n", wrong);
    return 2;
  }
  try {
    app.parse(argc, argv);
    return command();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Failure& failure) {
    fmt::print(stderr, "op2-jitinspect: {}\n", failure.what());
    return failure.exit_code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "op2-jitinspect: {}\n", error.what());
    return 2;
  }
}
