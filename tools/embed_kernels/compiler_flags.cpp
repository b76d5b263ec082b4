// SPDX-License-Identifier: BSD-3-Clause
#include "compiler_flags.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

namespace op2::embed {
namespace {

/// Flags whose value is the rest of the argument, or the next argument.
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
/// Flags that begin like one of the above and do not affect parsing.
constexpr std::array not_joined{"-mtune=", "-mcmodel=", "-mrecord", "-mprefer-vector-width"};
/// Flags that are dropped together with the next argument.
constexpr std::array dropped_with_value{
    "-o", "-MF", "-MT", "-MQ", "-x",      "-Xlinker",  "-Xassembler", "-L",
    "-l", "-T",  "-u",  "-z",  "--param", "-aux-info", "-dumpbase",   "-dumpdir"};

/// Flags that change the meaning of arithmetic, characters or structures. Kernels compiled at run
/// time do not get them. Flags that only affect rounding are not among them.
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

/// The same for flags with a value; `second` is the value that equals the default.
constexpr std::array<Pair, 5> meaning_with_value{{{"-fpack-struct=", ""},
                                                  {"-ftrivial-auto-var-init=", "uninitialized"},
                                                  {"-fexec-charset=", "UTF-8"},
                                                  {"-fwide-exec-charset=", "UTF-32"},
                                                  {"-mlong-double-", "80"}}};
/// Synonyms of the above, and of the flags that undo them.
constexpr std::array<Pair, 5> synonyms{{{"-fno-signed-char", "-funsigned-char"},
                                        {"-fsigned-char", "-fno-unsigned-char"},
                                        {"-fno-signed-bitfields", "-funsigned-bitfields"},
                                        {"-fno-strict-overflow", "-fwrapv"},
                                        {"-fstrict-overflow", "-fno-wrapv"}}};

bool begins_with_one(const auto& list, std::string_view flag) {
  return std::any_of(list.begin(), list.end(),
                     [flag](std::string_view start) { return flag.starts_with(start); });
}

bool is_one(const auto& list, std::string_view flag) {
  return std::find(list.begin(), list.end(), flag) != list.end();
}

bool is_openmp(std::string_view flag) {
  return flag == "-fopenmp" || flag.starts_with("-fopenmp=") || flag == "-qopenmp" ||
         flag == "-openmp";
}

/// CMake asks for some options as "SHELL:-option value"; "-Wp,-DX" and "-Xpreprocessor -DX" are
/// "-DX".
std::vector<std::string> split(const std::vector<std::string>& flags) {
  constexpr std::string_view shell = "SHELL:", preprocessor = "-Wp,";
  std::vector<std::string> result;
  for (const std::string& flag : flags) {
    if (flag.starts_with(shell)) {
      std::istringstream text(flag.substr(shell.size()));
      for (std::string part; text >> part;) result.push_back(part);
    } else if (flag.starts_with(preprocessor)) {
      std::istringstream text(flag.substr(preprocessor.size()));
      for (std::string part; std::getline(text, part, ',');) result.push_back(part);
    } else if (flag != "-Xpreprocessor") {
      result.push_back(flag);
    }
  }
  return result;
}

/// "-fwrapv" for "-fno-wrapv" and vice versa.
std::string opposite(const std::string& flag) {
  if (flag.size() < 2) return {};
  const bool is_negative = flag.compare(2, 3, "no-") == 0;
  return flag.substr(0, 2) + (is_negative ? "" : "no-") + flag.substr(is_negative ? 5 : 2);
}

/// Whether a flag changes the meaning of a source.
struct Meaning {
  std::string_view subject;  ///< equal for a flag and those that undo it; empty: no effect
  bool changes = false;
};

Meaning meaning_of(std::string flag) {
  for (const auto& [name, usual] : synonyms) {
    if (flag == name) flag = usual;
  }
  for (const std::string_view each : meaning) {
    if (flag == each || opposite(flag) == each) return {each, flag == each};
  }
  for (const auto& [start, usual] : meaning_with_value) {
    if (flag.starts_with(start)) return {start, flag.substr(start.size()) != usual};
  }
  return {};
}

/// The C++ standard that a flag, or CMake's cxx_std_20, selects, as a number that grows with the
/// year; 0: none.
int standard_of(std::string_view flag) {
  for (const std::string_view start : {"-std=gnu++", "-std=c++", "cxx_std_"}) {
    if (!flag.starts_with(start)) continue;
    flag.remove_prefix(start.size());
    const std::map<std::string_view, int> years{
        {"98", 1},  {"03", 1},  {"0x", 11}, {"11", 11}, {"1y", 14}, {"14", 14}, {"1z", 17},
        {"17", 17}, {"2a", 20}, {"20", 20}, {"2b", 23}, {"23", 23}, {"2c", 26}, {"26", 26}};
    const auto found = years.find(flag);
    return found != years.end() ? found->second : 0;
  }
  return 0;
}

/// Compile features of CMake ask for at least a standard.
void raise_standard(const std::vector<std::string>& flags, std::vector<std::string>& kept) {
  int written = 0, wanted = 0;
  for (const auto& flag : flags) {
    const int standard = standard_of(flag);
    if (flag.starts_with("cxx_std_")) {
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

std::string unsupported_flag(const std::vector<std::string>& given) {
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
    const std::string& flag = flags[i];
    if (is_one(with_value, flag)) {
      if (i + 1 == flags.size()) break;
      kept.push_back(flag);
      kept.push_back(flags[++i]);
    } else if (is_one(dropped_with_value, flag)) {
      ++i;
    } else if (is_openmp(flag)) {
      kept.emplace_back("-D_OPENMP=201511");
    } else if (is_one(whole, flag) || begins_with_one(with_value, flag) ||
               (begins_with_one(joined, flag) && !begins_with_one(not_joined, flag))) {
      kept.push_back(flag);
    }
  }
  raise_standard(flags, kept);
  return kept;
}

}  // namespace op2::embed
