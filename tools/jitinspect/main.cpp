// SPDX-License-Identifier: BSD-3-Clause
// op2-jitinspect: inspects the cache of compiled kernels, and compares the values of two runs.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <op2/version.hpp>

#include "../wrong_request.hpp"
#include "commands.hpp"
#include "store.hpp"

namespace op2::jitinspect {

namespace {

CLI::App& add_command(CLI::App& app, Request& request, const char* name, const char* help,
                      int (*run)(const Request&)) {
  CLI::App& command = *app.add_subcommand(name, help);
  command.add_option("--dir", request.directory,
                     "cache directory; default: $OP2_CACHE_DIR, $XDG_CACHE_HOME/op2, ~/.cache/op2");
  command.add_flag("--json", request.json, "print JSON");
  command.callback([&request, run] { request.run = run; });
  return command;
}

void add_list(CLI::App& app, Request& request) {
  CLI::App& command =
      add_command(app, request, "list", "List the entries, the one used last first", &list);
  command
      .add_option("--target", request.target,
                  "only those for this target: cpu or cuda, or what is known of kernels: facts")
      ->check(CLI::IsMember({"cpu", "cuda", "facts"}));
}

constexpr const char* key_help = "the first digits of a key, or the name of a kernel or loop";

void add_show(CLI::App& app, Request& request) {
  CLI::App& command =
      add_command(app, request, "show",
                  "Show one entry: a summary, or one part of it; of several of that name "
                  "the one used last",
                  &show);
  command.add_option("KEY", request.key, key_help)->required();
  CLI::Option_group* parts = command.add_option_group("part");
  const auto part = [&](const char* flag, Part value, const char* help) {
    parts->add_flag_callback(flag, [&request, value] { request.part = value; }, help);
  };
  part("--source", Part::source, "the generated C++, or CUDA C++");
  part("--ir", Part::ir, "the optimised LLVM IR");
  part("--asm", Part::assembly, "the assembly; of a GPU, PTX");
  part("--key", Part::key, "the fields that the key is made from");
  part("--stats", Part::statistics, "sizes and instruction counts");
  parts->require_option(0, 1);
}

void add_prune(CLI::App& app, Request& request) {
  constexpr double most_kept = 1e9;  // MiB, or days
  CLI::App& command =
      add_command(app, request, "prune", "Remove entries, the least recently used first", &prune);
  command.add_option("--max-mb", request.max_mb, "keep at most this many MiB")
      ->check(CLI::Range(0.0, most_kept));
  command
      .add_option("--older-than", request.older_than_days,
                  "remove entries not used for this many days")
      ->check(CLI::Range(0.0, most_kept));
  command.add_flag("--bad", request.bad, "remove entries that cannot be used");
  command.add_flag("--all", request.all, "remove all entries");
  command.add_flag("--dry-run", request.dry_run, "only print what would be removed");
}

void add_comparisons(CLI::App& app, Request& request) {
  CLI::App& command = add_command(app, request, "why-missed",
                                  "Show how an entry differs from the nearest one of its kernel: "
                                  "why the kernel was compiled again",
                                  &why_missed);
  command.add_option("KEY", request.key, std::string(key_help) + " (then its latest entry)")
      ->required();
  command.add_option("OTHER", request.other, "compare with the nearest of these entries");
  CLI::App& files =
      add_command(app, request, "diff",
                  "Compare two files that OP2_HASH has written, and name the first value "
                  "whose bits differ; the exit code is then 1",
                  &diff);
  files.add_option("FILE", request.key, "a file of OP2_HASH")->required();
  files.add_option("OTHER", request.other, "that of another run")->required();
}

void describe(CLI::App& app, Request& request) {
  app.failure_message(tools::failure_message);
  app.set_version_flag("--version", "op2-jitinspect " OP2_VERSION_STRING);
  app.require_subcommand(1);
  add_list(app, request);
  add_show(app, request);
  add_command(app, request, "stats", "Count entries and bytes, by kernel, by target and by CPU",
              &stats);
  add_command(app, request, "verify", "Read every entry and name the bad ones", &verify);
  add_prune(app, request);
  add_comparisons(app, request);
}

int run(int argc, char** argv) {
  CLI::App app(
      "Inspects the cache of compiled kernels, and compares the values of two runs. Never executes "
      "or links an entry.",
      "op2-jitinspect");
  Request request;
  describe(app, request);
  if (const std::string wrong = tools::unknown_command(app, argc, argv); !wrong.empty())
    throw Failure(2, wrong);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return request.run(request);
}

}  // namespace

}  // namespace op2::jitinspect

int main(int argc, char** argv) {
  try {
    return op2::jitinspect::run(argc, argv);
  } catch (const op2::jitinspect::Failure& failure) {
    fmt::print(stderr, "op2-jitinspect: {}\n", failure.what());
    return failure.exit_code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "op2-jitinspect: {}\n", error.what());
    return 2;
  }
}
