// SPDX-License-Identifier: BSD-3-Clause
#include "compiler_flags.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
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
    "-o", "-MF", "-MT", "-MQ", "-x",      "-Xlinker",  "-Xassembler", "-L",
    "-l", "-T",  "-u",  "-z",  "--param", "-aux-info", "-dumpbase",   "-dumpdir"};

/// Give numbers, characters or structures a meaning that they do not have in a text, which has no
/// flags of its own. What only changes how numbers are rounded is none of these.
constexpr std::array meaning{"-funsigned-char",
                             "-funsigned-bitfields",
                             "-fwrapv",
                             "-fwrapv-pointer",
                             "-ftrapv",
                             "-fno-strict-float-cast-overflow",
                             "-fnon-call-exceptions",
                             "-fsingle-precision-constant",
                             "-fshort-enums",
                             "-fshort-wchar",
                             "-fpack-struct",
                             "-mms-bitfields"};

struct Pair {
  std::string_view first, second;
};

/// The same with values, except for the one that says what is so anyway.
constexpr std::array<Pair, 5> meaning_with_value{{{"-fpack-struct=", ""},
                                                  {"-ftrivial-auto-var-init=", "uninitialized"},
                                                  {"-fexec-charset=", "UTF-8"},
                                                  {"-fwide-exec-charset=", "UTF-32"},
                                                  {"-mlong-double-", "80"}}};
/// Other names of the above, and of what undoes them.
constexpr std::array<Pair, 5> synonyms{{{"-fno-signed-char", "-funsigned-char"},
                                        {"-fsigned-char", "-fno-unsigned-char"},
                                        {"-fno-signed-bitfields", "-funsigned-bitfields"},
                                        {"-fno-strict-overflow", "-fwrapv"},
                                        {"-fstrict-overflow", "-fno-wrapv"}}};

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

/// CMake asks for some options as "SHELL:-option value"; "-Wp,-DX" and "-Xpreprocessor -DX" are
/// "-DX".
std::vector<std::string> split(const std::vector<std::string>& flags) {
  constexpr std::string_view shell = "SHELL:", preprocessor = "-Wp,";
  std::vector<std::string> words;
  for (const std::string& flag : flags) {
    if (flag.starts_with(shell)) {
      std::istringstream text(flag.substr(shell.size()));
      for (std::string word; text >> word;) words.push_back(word);
    } else if (flag.starts_with(preprocessor)) {
      std::istringstream text(flag.substr(preprocessor.size()));
      for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    } else if (flag != "-Xpreprocessor") {
      words.push_back(flag);
    }
  }
  return words;
}

/// "-fwrapv" of "-fno-wrapv" and the other way round.
std::string opposite(const std::string& word) {
  if (word.size() < 2) return {};
  const bool is_negative = word.compare(2, 3, "no-") == 0;
  return word.substr(0, 2) + (is_negative ? "" : "no-") + word.substr(is_negative ? 5 : 2);
}

/// What a flag says of the meaning of texts.
struct Meaning {
  std::string_view subject;  ///< the same for a flag and those that undo it; empty: nothing
  bool changes = false;
};

Meaning meaning_of(std::string word) {
  for (const auto& [name, usual] : synonyms) {
    if (word == name) word = usual;
  }
  for (const std::string_view each : meaning) {
    if (word == each || opposite(word) == each) return {each, word == each};
  }
  for (const auto& [start, usual] : meaning_with_value) {
    if (word.starts_with(start)) return {start, word.substr(start.size()) != usual};
  }
  return {};
}

/// The year of C++ that a flag, or CMake's cxx_std_20, asks for, counted so that later ones are
/// larger; 0: none.
int standard_of(std::string_view word) {
  for (const std::string_view start : {"-std=gnu++", "-std=c++", "cxx_std_"}) {
    if (!word.starts_with(start)) continue;
    word.remove_prefix(start.size());
    const std::map<std::string_view, int> years{
        {"98", 1},  {"03", 1},  {"0x", 11}, {"11", 11}, {"1y", 14}, {"14", 14}, {"1z", 17},
        {"17", 17}, {"2a", 20}, {"20", 20}, {"2b", 23}, {"23", 23}, {"2c", 26}, {"26", 26}};
    const auto found = years.find(word);
    return found != years.end() ? found->second : 0;
  }
  return 0;
}

/// What CMake makes of features: at least that standard.
void raise_standard(const std::vector<std::string>& words, std::vector<std::string>& kept) {
  int written = 0, wanted = 0;
  for (const auto& word : words) {
    const int standard = standard_of(word);
    if (word.starts_with("cxx_std_")) {
      wanted = std::max(wanted, standard);
    } else if (standard != 0) {
      written = standard;
    }
  }
  constexpr int default_standard = 17;
  if (wanted > (written != 0 ? written : default_standard))
    kept.push_back("-std=gnu++" + std::to_string(wanted));
}

}  // namespace

std::string flag_beyond_texts(const std::vector<std::string>& given) {
  std::map<std::string_view, std::string> in_force;
  for (const std::string& flag : split(given)) {
    const auto [subject, changes] = meaning_of(flag);
    if (changes)
      in_force[subject] = flag;
    else
      in_force.erase(subject);
  }
  return in_force.empty() ? std::string() : in_force.begin()->second;
}

std::vector<std::string> parser_flags(const std::vector<std::string>& given) {
  const auto flags = split(given);
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
  raise_standard(flags, kept);
  return kept;
}

}  // namespace op2::embed
