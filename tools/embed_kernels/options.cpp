// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
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
  static const std::map<std::string_view, AccessCheck> warnings{
      {"-Wop2-access", AccessCheck::warn},
      {"-Wno-op2-access", AccessCheck::off},
      {"-Werror=op2-access", AccessCheck::error},
      {"-Wno-error=op2-access", AccessCheck::warn}};
  const auto found = warnings.find(argument);
  if (found != warnings.end()) options.access = found->second;
  return found != warnings.end();
}

void take_flags(Arguments& arguments, Options& options) {
  while (!arguments.empty()) {
    const std::string argument = arguments.take();
    if (!is_own_warning(argument, options)) options.flags.push_back(argument);
  }
}

void take_option(const std::string& argument, Arguments& arguments, Options& options) {
  static const std::map<std::string_view, std::string Options::*> values{
      {"-o", &Options::output},
      {"--depfile", &Options::dependencies},
      {"--resource-dir", &Options::resource_folder},
      {"--table-header", &Options::table_header}};
  static const std::map<std::string_view, bool Options::*> switches{
      {"--list", &Options::list}, {"--help", &Options::help}, {"--version", &Options::version}};
  if (const auto value = values.find(argument); value != values.end()) {
    options.*value->second = arguments.take_value(argument);
  } else if (const auto given = switches.find(argument); given != switches.end()) {
    options.*given->second = true;
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

/// Flags whose value is the rest of the argument, or the next argument.
constexpr std::array with_value{"-I",         "-D",       "-U",       "-isystem",  "-iquote",
                                "-idirafter", "-include", "-imacros", "-isysroot", "-target"};
constexpr std::array joined{"-std=", "--std=", "--sysroot=", "--target=", "-stdlib=", "-m"};
constexpr std::string_view whole =
    " -ansi -pthread -fno-exceptions -fexceptions -fno-rtti -frtti -ffast-math "
    "-ffinite-math-only -fsigned-char -funsigned-char -fshort-enums -fchar8_t -fno-char8_t "
    "-fpermissive -nostdinc -nostdinc++ -fms-extensions -O1 -O2 -O3 -Ofast -Os ";
/// Flags that begin like one of the above and do not affect parsing.
constexpr std::array not_joined{"-mtune=", "-mcmodel=", "-mrecord", "-mprefer-vector-width"};
/// Flags that are dropped together with the next argument.
constexpr std::string_view dropped_with_value =
    " -o -MF -MT -MQ -x -Xlinker -Xassembler -L -l -T -u -z --param -aux-info -dumpbase -dumpdir ";

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
  return std::ranges::any_of(list,
                             [flag](std::string_view start) { return flag.starts_with(start); });
}

/// @param words  each between two spaces
bool is_among(std::string_view words, const std::string& flag) {
  return words.find(" " + flag + " ") != std::string_view::npos;
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
  for (const std::string_view known : meaning) {
    if (flag == known || opposite(flag) == known) return {known, flag == known};
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
  int written = 0, asked = 0;
  for (const auto& flag : flags) {
    const int standard = standard_of(flag);
    if (flag.starts_with("cxx_std_")) {
      asked = std::max(asked, standard);
    } else if (standard != 0) {
      written = standard;
    }
  }
  constexpr int default_standard = 17;
  if (asked > (written != 0 ? written : default_standard))
    kept.push_back("-std=gnu++" + std::to_string(asked));
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

std::string unsupported_flag(const std::vector<std::string>& arguments) {
  std::map<std::string_view, std::string> in_force;
  for (const std::string& flag : split(arguments)) {
    const auto [subject, changes] = meaning_of(flag);
    if (changes)
      in_force[subject] = flag;
    else
      in_force.erase(subject);
  }
  return in_force.empty() ? std::string() : in_force.begin()->second;
}

std::vector<std::string> parser_flags(const std::vector<std::string>& arguments) {
  const auto flags = split(arguments);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    if (std::ranges::find(with_value, flag) != with_value.end()) {
      if (i + 1 == flags.size()) break;
      kept.push_back(flag);
      kept.push_back(flags[++i]);
    } else if (is_among(dropped_with_value, flag)) {
      ++i;
    } else if (is_openmp(flag)) {
      kept.emplace_back("-D_OPENMP=201511");
    } else if (is_among(whole, flag) || begins_with_one(with_value, flag) ||
               (begins_with_one(joined, flag) && !begins_with_one(not_joined, flag))) {
      kept.push_back(flag);
    }
  }
  raise_standard(flags, kept);
  return kept;
}

}  // namespace op2::embed
