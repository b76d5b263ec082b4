// SPDX-License-Identifier: BSD-3-Clause
#include "compiler_flags.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace op2::embed {
namespace {

/// Their value is the rest of the word, or the next word.
constexpr std::array with_value{"-I",         "-D",       "-U",       "-isystem",  "-iquote",
                                "-idirafter", "-include", "-imacros", "-isysroot", "-target"};
constexpr std::array joined{"-std=", "--std=", "--sysroot=", "--target=", "-stdlib=", "-m"};
constexpr std::array whole{"-ansi",
                           "-pthread",
                           "-fno-exceptions",
                           "-fexceptions",
                           "-fno-rtti",
                           "-frtti",
                           "-ffast-math",
                           "-ffinite-math-only",
                           "-fsigned-char",
                           "-funsigned-char",
                           "-fshort-enums",
                           "-fchar8_t",
                           "-fno-char8_t",
                           "-fpermissive",
                           "-nostdinc",
                           "-nostdinc++",
                           "-fms-extensions",
                           "-O1",
                           "-O2",
                           "-O3",
                           "-Ofast",
                           "-Os"};
/// Begin like one of the above and say nothing of how a source is read.
constexpr std::array not_joined{"-mtune=", "-mcmodel=", "-mrecord", "-mprefer-vector-width"};
/// Take the next word with them into oblivion.
constexpr std::array dropped_with_value{
    "-o", "-MF", "-MT", "-MQ", "-x",      "-Xlinker",  "-Xassembler", "-Xpreprocessor", "-L",
    "-l", "-T",  "-u",  "-z",  "--param", "-aux-info", "-dumpbase",   "-dumpdir"};

bool begins_with_one(const auto& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(),
                     [word](std::string_view start) { return word.starts_with(start); });
}

bool is_one(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_openmp(std::string_view word) {
  return word == "-fopenmp" || word.starts_with("-fopenmp=") || word == "-qopenmp" ||
         word == "-openmp";
}

}  // namespace

std::vector<std::string> parser_flags(const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& word = flags[i];
    if (is_one(with_value, word)) {
      if (i + 1 == flags.size()) break;
      kept.push_back(word);
      kept.push_back(flags[++i]);
    } else if (is_one(dropped_with_value, word)) {
      ++i;
    } else if (is_openmp(word)) {
      kept.emplace_back("-D_OPENMP=201511");
    } else if (is_one(whole, word) || begins_with_one(with_value, word) ||
               (begins_with_one(joined, word) && !begins_with_one(not_joined, word))) {
      kept.push_back(word);
    }
  }
  return kept;
}

}  // namespace op2::embed
