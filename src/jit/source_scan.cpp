// SPDX-License-Identifier: BSD-3-Clause
#include <jit/source_scan.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/core.h>

#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/text.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads C++ tokens one after the other; an unfinished one ends with the source.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  SourceScan run() {
    while (at_ < text_.size()) {
      const auto begin = at_;
      if (step()) found_.tokens.push_back(text_.substr(begin, at_ - begin));
    }
    return std::move(found_);
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void skip_past(std::string_view end) {
    const auto found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  /// Whether it is a token and not a blank or a comment.
  bool step() {
    const char c = text_[at_];
    const bool is_line = starts("//"), is_comment = is_line || starts("/*");
    if (is_line)
      skip_line();
    else if (is_comment)
      skip_comment();
    else if (c == '"' || c == '\'')
      skip_literal(c);
    else if (c == '#')
      directive();
    else if (is_digit(c))
      skip_number();
    else if (is_letter(c))
      word();
    else
      ++at_;
    return !is_comment && std::isspace(static_cast<unsigned char>(c)) == 0;
  }

  /// Skips to the end of the line, including continuation lines.
  void skip_line() {
    do skip_past("\n");
    while (at_ < text_.size() && text_.substr(0, at_).ends_with("\\\n"));
  }

  void skip_comment() {
    at_ += 2;
    skip_past("*/");
  }

  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void skip_raw_literal() {
    const auto open = std::min(text_.find('(', at_), text_.size());
    const std::string end = fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1));
    at_ = open;
    skip_past(end);
  }

  /// With exponents and digit separators.
  void skip_number() {
    const auto belongs = [this] {
      const char c = text_[at_];
      if (is_letter(c) || c == '.' || c == '\'') return true;
      const char before = text_[at_ - 1];
      return (c == '+' || c == '-') &&
             (before == 'e' || before == 'E' || before == 'p' || before == 'P');
    };
    for (++at_; at_ < text_.size() && belongs();) ++at_;
  }

  std::string_view letters() {
    const auto begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void word() {
    const std::string_view name = letters();
    if (starts("\"") &&
        (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R")) {
      return skip_raw_literal();
    }
    found_.identifiers.emplace(name);
  }

  /// Blanks, comments and continued lines inside a directive.
  void skip_blanks() {
    for (;;) {
      if (starts("/*"))
        skip_comment();
      else if (starts("\\\n"))
        at_ += 2;
      else if (starts(" ") || starts("\t"))
        ++at_;
      else
        return;
    }
  }

  void directive() {
    ++at_;
    skip_blanks();
    const std::string_view name = letters();
    if (name == "line") return skip_line();
    if (name != "include") return;
    skip_blanks();
    if (starts("<")) return skip_line();
    if (!starts("\"")) return;
    const auto begin = ++at_;
    const auto end = text_.find_first_of("\"\n", begin);
    if (end != std::string_view::npos && text_[end] == '"') {
      found_.includes.emplace_back(text_.substr(begin, end - begin));
    }
    skip_line();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SourceScan found_;
};

/// Reads included files; their names are paths relative to a folder.
class IncludeReader {
 public:
  IncludeReader(std::filesystem::path folder, const CompileLimit& limit)
      : folder_(std::move(folder)), limit_(limit) {}

  /// @param beside  folder of the including file, relative to the root folder
  void read(std::string_view text, const std::filesystem::path& beside) {
    for (const std::string& name : scan_source(text).includes) {
      if (!read_one(beside / name)) read_one(name);
    }
  }

  std::vector<IncludedFile> files() const {
    std::vector<IncludedFile> result;
    for (const auto& [name, text] : files_) result.push_back({name, text});
    return result;
  }

 private:
  bool read_one(const std::filesystem::path& path) {
    const std::string name = path.lexically_normal().generic_string();
    if (files_.contains(name)) return true;
    const auto text = read_header(folder_ / name);
    if (!text) return false;
    files_[name] = *text;
    read(*text, std::filesystem::path(name).parent_path());
    return true;
  }

  /// Nothing if the file is missing, or may not be read: the compiler says so where it is included.
  std::optional<std::string> read_header(const std::filesystem::path& path) {
    std::error_code ignored;
    const char* const kind = core::kind_if_irregular(path.c_str());
    if (kind != nullptr && !std::filesystem::is_directory(path, ignored))
      core::fail(ErrorCode::kernel_include,
                 "an included file is not a regular file: '{}' is {}; include another one",
                 path.string(), kind);
    auto text = core::read_file(path.c_str(), most_bytes_of_include);
    if (!text && errno == EFBIG)
      core::fail(ErrorCode::kernel_include,
                 "an included file is too large: '{}', {} bytes; kernels may include files of at "
                 "most {} bytes",
                 path.string(), std::filesystem::file_size(path, ignored), most_bytes_of_include);
    if (text) check_limit(path, text->size());
    return text;
  }

  void check_limit(const std::filesystem::path& path, std::size_t bytes) {
    bytes_ += static_cast<std::int64_t>(bytes);
    if (bytes_ <= limit_.memory_bytes &&
        core::seconds_since(begin_) <= static_cast<double>(limit_.seconds))
      return;
    core::fail(ErrorCode::kernel_limits,
               "the files that a kernel includes take more than {} s or {} MiB to read: '{}', {} "
               "bytes, was the last of {}; include less, or set OP2_JIT_LIMIT to more",
               limit_.seconds, limit_.memory_bytes >> 20, path.string(), bytes, files_.size() + 1);
  }

  std::filesystem::path folder_;
  const CompileLimit& limit_;
  const core::Clock::time_point begin_ = core::Clock::now();
  std::int64_t bytes_ = 0;  ///< of all files
  std::map<std::string, std::string> files_;
};

// ISO C++20, table 5 and the alternative tokens of table 6; a blank on both sides of each.
constexpr std::string_view keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else "
    "enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";
constexpr std::string_view macros =
    " FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI "
    "M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 NAN INFINITY HUGE_VAL INT_MAX "
    "INT_MIN DBL_MAX DBL_MIN DBL_EPSILON EOF ";
constexpr std::string_view other_names = " main std NULL ";
constexpr std::string_view templates_of_cmath = " abs isnan isinf isfinite fpclassify isnormal ";

bool is_among(std::string_view names, std::string_view name) {
  return names.find(fmt::format(" {} ", name)) != names.npos;
}

}  // namespace

SourceScan scan_source(std::string_view text) {
  return Scanner(text).run();
}

bool is_name(std::string_view token) {
  return is_letter(token.front()) && !is_digit(token.front());
}

std::size_t closing(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    const char c = tokens[k].front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) return k;
  }
  return tokens.size();
}

std::string_view lines_that_count(std::string_view source) {
  constexpr std::string_view begin = "#include <op2_library>\n", end = "#line 1\n";
  if (source.starts_with(begin)) source.remove_prefix(source.find(end) + end.size());
  return source;
}

std::vector<std::string_view> macros_in(std::string_view text) {
  const std::vector<std::string_view> tokens = scan_source(text).tokens;
  std::vector<std::string_view> defined;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
    if (tokens[k].starts_with('#') && tokens[k].ends_with("define"))
      defined.push_back(tokens[k + 1]);
  return defined;
}

std::vector<IncludedFile> read_includes(std::string_view text, const std::string& folder,
                                        const CompileLimit& limit) {
  IncludeReader reader(folder, limit);
  reader.read(text, {});
  return reader.files();
}

std::set<std::string, std::less<>> identifiers_in(std::string_view text,
                                                  std::span<const IncludedFile> includes) {
  auto found = scan_source(text).identifiers;
  for (const IncludedFile& file : includes) found.merge(scan_source(file.text).identifiers);
  return found;
}

bool is_keyword(std::string_view name) {
  return is_among(keywords, name);
}

bool is_reserved_for_functions(std::string_view name) {
  return is_keyword(name) || is_among(other_names, name) || is_among(macros, name) ||
         name.starts_with("op2_") || name.starts_with("__");
}

bool is_reserved(std::string_view name) {
  return is_reserved_for_functions(name) || may_be_called(name) ||
         is_among(templates_of_cmath, name) || is_consistent_mathematics(name);
}

}  // namespace op2::jit
