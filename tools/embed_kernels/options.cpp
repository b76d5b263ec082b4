// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fstream>
#include <string_view>

#include <fmt/core.h>

namespace op2::embed {
namespace {

/// Gives the words of the command line one by one, those in a file (`@file`, one a line) included.
class Words {
 public:
  Words(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) add(argv[i]);
  }

  bool empty() const { return next_ == words_.size(); }

  std::string take() { return words_[next_++]; }

  std::string take_value(const std::string& option) {
    if (empty()) throw UsageError(fmt::format("{} needs a value", option));
    return take();
  }

 private:
  void add(const std::string& word) {
    if (!word.starts_with('@')) {
      words_.push_back(word);
      return;
    }
    std::ifstream file(word.substr(1));
    if (!file) throw UsageError(fmt::format("cannot read '{}'", word.substr(1)));
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) words_.push_back(line);
    }
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

/// @return false if `word` is none of the warnings that the tool knows
bool is_own_warning(const std::string& word, Options& options) {
  if (word == "-Werror=op2-access") {
    options.access = AccessCheck::error;
  } else if (word == "-Wno-op2-access") {
    options.access = AccessCheck::off;
  } else if (word == "-Wop2-access" || word == "-Wno-error=op2-access") {
    options.access = AccessCheck::warn;
  } else {
    return false;
  }
  return true;
}

void take_flags(Words& words, Options& options) {
  while (!words.empty()) {
    const std::string word = words.take();
    if (!is_own_warning(word, options)) options.flags.push_back(word);
  }
}

void take_option(const std::string& word, Words& words, Options& options) {
  if (word == "-o") {
    options.output = words.take_value(word);
  } else if (word == "--depfile") {
    options.dependencies = words.take_value(word);
  } else if (word == "--resource-dir") {
    options.resource_folder = words.take_value(word);
  } else if (word == "--table-header") {
    options.table_header = words.take_value(word);
  } else if (word == "--list") {
    options.list = true;
  } else if (word == "--help") {
    options.help = true;
  } else if (word == "--") {
    take_flags(words, options);
  } else if (word.starts_with('-') && !is_own_warning(word, options)) {
    throw UsageError(fmt::format("unknown option '{}'", word));
  } else if (!word.starts_with('-') && !options.source.empty()) {
    throw UsageError(fmt::format("two sources, '{}' and '{}'", options.source, word));
  } else if (!word.starts_with('-')) {
    options.source = word;
  }
}

}  // namespace

const char* const usage =
    "op2-embed-kernels SOURCE [-o WRAPPER] [options] [-- compiler flags]\n"
    "Finds the kernels of the loops in SOURCE and writes a unit to compile in its place: the same\n"
    "program, with the text of each kernel in it.\n"
    "  -o WRAPPER             the unit to write\n"
    "  --depfile FILE         write what the wrapper depends on, in make's form\n"
    "  --list                 print the loops, their kernels and how long the texts are\n"
    "  --resource-dir FOLDER  headers of Clang itself\n"
    "  --table-header FILE    op2_embedded.h\n"
    "  -Werror=op2-access     kernels that break an access mode are errors\n"
    "  -Wno-op2-access        do not look at access modes\n"
    "  @FILE                  take words from FILE, one a line\n";

Options parse_options(int argc, char** argv) {
  Options options;
  Words words(argc, argv);
  while (!words.empty()) take_option(words.take(), words, options);
  if (options.source.empty() && !options.help) throw UsageError("no source is given");
  return options;
}

}  // namespace op2::embed
