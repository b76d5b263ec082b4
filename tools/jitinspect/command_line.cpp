// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <memory>
#include <string>
#include <utility>

#include <op2/version.hpp>

#include "commands.hpp"

namespace op2::jitinspect {

namespace {

constexpr const char* key_help = "the first digits of a key, or the name of a kernel or loop";
constexpr double most_kept = 1e9;  // MiB, or days

/// A subcommand with the options that all share, and its own options' values.
template <class Values>
struct Subcommand {
  CLI::App& app;
  std::shared_ptr<Common> common = std::make_shared<Common>();
  std::shared_ptr<Values> values = std::make_shared<Values>();

  Subcommand(CLI::App& parent, const char* name, const char* help)
      : app(*parent.add_subcommand(name, help)) {
    app.add_option("--dir", common->directory,
                   "cache directory; default: $OP2_CACHE_DIR, $XDG_CACHE_HOME/op2, ~/.cache/op2");
    app.add_flag("--json", common->json, "print JSON");
  }

  template <class Run>
  void runs(Command& command, Run run) {
    app.callback([&command, run, shared = common, own = values] {
      command = [=] { return run(*shared, *own); };
    });
  }
};

struct Nothing {};

struct KeyPair {
  std::string key;
  std::string other;
};

struct FilePair {
  std::string file;
  std::string other;
};

struct ListOptions {
  std::string target;
};

struct ShowOptions {
  std::string key;
  Part part = Part::summary;
};

void describe_plain(CLI::App& app, Command& command, const char* name, const char* help,
                    int (*run)(const Common&)) {
  Subcommand<Nothing> plain(app, name, help);
  plain.runs(command, [run](const Common& common, const Nothing&) { return run(common); });
}

void describe_list(CLI::App& app, Command& command) {
  Subcommand<ListOptions> sub(app, "list", "List the entries, the one used last first");
  sub.app
      .add_option("--target", sub.values->target,
                  "only those for this target: cpu or cuda, or what is known of kernels: facts")
      ->check(CLI::IsMember({"cpu", "cuda", "facts"}));
  sub.runs(command, [](const Common& common, const ListOptions& options) {
    return list(common, options.target);
  });
}

void describe_show(CLI::App& app, Command& command) {
  Subcommand<ShowOptions> sub(
      app, "show",
      "Show one entry: a summary, or one part of it; of several of that name "
      "the one used last");
  sub.app.add_option("KEY", sub.values->key, key_help)->required();
  CLI::Option_group* parts = sub.app.add_option_group("part");
  const auto part = [&](const char* flag, Part value, const char* help) {
    parts->add_flag_callback(flag, [own = sub.values, value] { own->part = value; }, help);
  };
  part("--source", Part::source, "the generated C++, or CUDA C++");
  part("--ir", Part::ir, "the optimised LLVM IR");
  part("--asm", Part::assembly, "the assembly; of a GPU, PTX");
  part("--key", Part::key, "the fields that the key is made from");
  part("--stats", Part::statistics, "sizes and instruction counts");
  parts->require_option(0, 1);
  sub.runs(command, [](const Common& common, const ShowOptions& options) {
    return show(common, options.key, options.part);
  });
}

void describe_prune(CLI::App& app, Command& command) {
  Subcommand<PruneOptions> sub(app, "prune", "Remove entries, the least recently used first");
  PruneOptions& options = *sub.values;
  sub.app.add_option("--max-mb", options.max_mb, "keep at most this many MiB")
      ->check(CLI::Range(0.0, most_kept));
  sub.app
      .add_option("--older-than", options.older_than_days,
                  "remove entries not used for this many days")
      ->check(CLI::Range(0.0, most_kept));
  sub.app.add_flag("--bad", options.bad, "remove entries that cannot be used");
  sub.app.add_flag("--all", options.all, "remove all entries");
  sub.app.add_flag("--dry-run", options.dry_run, "only print what would be removed");
  sub.runs(command, prune);
}

void describe_why_missed(CLI::App& app, Command& command) {
  Subcommand<KeyPair> sub(app, "why-missed",
                          "Show how an entry differs from the nearest one of its kernel: "
                          "why the kernel was compiled again");
  sub.app.add_option("KEY", sub.values->key, std::string(key_help) + " (then its latest entry)")
      ->required();
  sub.app.add_option("OTHER", sub.values->other, "compare with the nearest of these entries");
  sub.runs(command, [](const Common& common, const KeyPair& keys) {
    return why_missed(common, keys.key, keys.other);
  });
}

void describe_diff(CLI::App& app, Command& command) {
  Subcommand<FilePair> sub(app, "diff",
                           "Compare two files that OP2_HASH has written, and name the first value "
                           "whose bits differ; the exit code is then 1");
  sub.app.add_option("FILE", sub.values->file, "a file of OP2_HASH")->required();
  sub.app.add_option("OTHER", sub.values->other, "that of another run")->required();
  sub.runs(command, [](const Common& common, const FilePair& files) {
    return diff(common, files.file, files.other);
  });
}

}  // namespace

void describe(CLI::App& app, Command& command) {
  app.set_version_flag("--version", "op2-jitinspect " OP2_VERSION_STRING);
  app.require_subcommand(1);
  describe_list(app, command);
  describe_show(app, command);
  describe_plain(app, command, "stats", "Count entries and bytes, by kernel, by target and by CPU",
                 stats);
  describe_plain(app, command, "verify", "Read every entry and name the bad ones", verify);
  describe_prune(app, command);
  describe_why_missed(app, command);
  describe_diff(app, command);
}

}  // namespace op2::jitinspect
