// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include <fmt/core.h>

namespace op2::embed {
namespace {

/// The arguments of the command line one by one, including those in a file (`@file`, one per line).
class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) add(argv[i]);
  }

  bool empty() const { return next_ == list_.size(); }

  std::string take() { return list_[next_++]; }

  std::string take_value(const std::string& option) {
    if (empty()) throw UsageError(fmt::format("{} needs a value", option));
    return take();
  }

 private:
  void add(const std::string& argument) {
    if (!argument.starts_with('@')) {
      list_.push_back(argument);
      return;
    }
    const std::string path = argument.substr(1);
    check_file(path);
    std::ifstream file(path);
    if (!file) throw UsageError(fmt::format("cannot read '{}'", path));
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) list_.push_back(line);
    }
  }

  std::vector<std::string> list_;
  std::size_t next_ = 0;
};

/// @return false if `argument` is not a warning option of this tool
bool is_own_warning(const std::string& argument, Options& options) {
  if (argument == "-Werror=op2-access") {
    options.access = AccessCheck::error;
  } else if (argument == "-Wno-op2-access") {
    options.access = AccessCheck::off;
  } else if (argument == "-Wop2-access" || argument == "-Wno-error=op2-access") {
    options.access = AccessCheck::warn;
  } else {
    return false;
  }
  return true;
}

void take_flags(Arguments& arguments, Options& options) {
  while (!arguments.empty()) {
    const std::string argument = arguments.take();
    if (!is_own_warning(argument, options)) options.flags.push_back(argument);
  }
}

void take_option(const std::string& argument, Arguments& arguments, Options& options) {
  if (argument == "-o") {
    options.output = arguments.take_value(argument);
  } else if (argument == "--depfile") {
    options.dependencies = arguments.take_value(argument);
  } else if (argument == "--resource-dir") {
    options.resource_folder = arguments.take_value(argument);
  } else if (argument == "--table-header") {
    options.table_header = arguments.take_value(argument);
  } else if (argument == "--list") {
    options.list = true;
  } else if (argument == "--help") {
    options.help = true;
  } else if (argument == "--version") {
    options.version = true;
  } else if (argument == "--") {
    take_flags(arguments, options);
  } else if (argument.starts_with('-') && !is_own_warning(argument, options)) {
    throw UsageError(fmt::format("unknown option '{}'", argument));
  } else if (!argument.starts_with('-') && !options.source.empty()) {
    throw UsageError(fmt::format("two source files are given, '{}' and '{}'; give one",
                                 options.source, argument));
  } else if (!argument.starts_with('-')) {
    options.source = argument;
  }
}

}  // namespace

const char* const usage =
    "usage: op2-embed-kernels SOURCE [-o WRAPPER] [options] [-- compiler flags]\n\n"
    "Extracts the source of the kernels of all loops in SOURCE and writes a wrapper: a unit that\n"
    "includes SOURCE and a table of these sources, to be compiled instead of SOURCE.\n\n"
    "  -o WRAPPER             file to write the wrapper to\n"
    "  --depfile FILE         write the dependencies of the wrapper, in the syntax of make\n"
    "  --list                 print the loops, their kernels and the size of each source\n"
    "  --resource-dir FOLDER  folder with Clang's own headers\n"
    "  --table-header FILE    path of op2_embedded.h\n"
    "  -Werror=op2-access     kernels that violate an access mode are errors\n"
    "  -Wno-op2-access        do not check access modes\n"
    "  @FILE                  read arguments from FILE, one per line\n"
    "  --help, --version      print this text, or the version\n";

void check_file(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw std::runtime_error(fmt::format("file '{}' does not exist; check the path", path));
  if (!std::filesystem::is_regular_file(path))
    throw std::runtime_error(
        fmt::format("'{}' is not a file, but a folder, FIFO or device; name a source file", path));
}

Options parse_options(int argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  while (!arguments.empty()) take_option(arguments.take(), arguments, options);
  if (options.source.empty() && !options.help && !options.version)
    throw UsageError("no source file is given");
  return options;
}

}  // namespace op2::embed
