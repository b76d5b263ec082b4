// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/scan_functions.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

using Tokens = std::span<const std::string_view>;

bool is_word(std::string_view token) {
  return std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_';
}

/// "const double *x", as Clang writes types: words apart, stars at what follows.
std::string written(Tokens tokens) {
  std::string text;
  for (const std::string_view token : tokens) {
    const bool follows_word =
        !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) != 0 ||
                          text.back() == '_' || text.back() == '>');
    if (follows_word && (is_word(token) || token == "*" || token == "&")) text += ' ';
    text += token;
  }
  return text;
}

/// The position behind the bracket that closes the one at `open`.
std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    const std::string_view token = tokens[k];
    if (token == "(" || token == "{" || token == "[") ++depth;
    if (token == ")" || token == "}" || token == "]") --depth;
    if (depth == 0) return k + 1;
  }
  return tokens.size();
}

/// Directives with all words on their lines are left out.
std::vector<std::string_view> without_directives(std::string_view source) {
  std::vector<std::string_view> kept;
  const char* end_of_line = source.data();
  for (const std::string_view token : scan_source(source).tokens) {
    if (token.starts_with('#')) {
      std::size_t at = token.data() - source.data();
      do at = std::min(source.find('\n', at + 1), source.size());
      while (at < source.size() && source[at - 1] == '\\');
      end_of_line = source.data() + at;
    }
    if (token.data() >= end_of_line) kept.push_back(token);
  }
  return kept;
}

class FunctionScanner {
 public:
  FunctionScanner(const std::string& source, const std::string& file)
      : source_(source), file_(file), tokens_(without_directives(source)) {}

  std::vector<FunctionForm> run() {
    while (at_ < tokens_.size()) step();
    return std::move(found_);
  }

 private:
  void step() {
    const std::string_view token = tokens_[at_];
    if (token == "}") {
      if (!scopes_.empty()) scopes_.pop_back();
      next_statement(at_ + 1);
    } else if (token == ";") {
      next_statement(at_ + 1);
    } else if (token == "{") {
      open_brace();
    } else if (token == "(" && at_ > begin_ && is_word(tokens_[at_ - 1])) {
      parameters_at(at_);
    } else {
      ++at_;
    }
  }

  void next_statement(std::size_t at) { at_ = begin_ = at; }

  Tokens statement() const { return Tokens(tokens_).subspan(begin_, at_ - begin_); }

  bool begins_with(std::string_view word) const { return begin_ < at_ && tokens_[begin_] == word; }

  /// A namespace, `extern "C"`, a class or an initial value.
  void open_brace() {
    const bool is_linkage = begins_with("extern") && at_ == begin_ + 2;
    if (begins_with("namespace") || is_linkage) {
      scopes_.emplace_back(is_linkage || at_ == begin_ + 1 ? "" : tokens_[at_ - 1]);
      next_statement(at_ + 1);
    } else {
      at_ = behind_bracket(tokens_, at_);
    }
  }

  /// What is in parentheses after a word is a function's parameters if a body follows.
  void parameters_at(std::size_t open) {
    const std::size_t close = behind_bracket(tokens_, open);
    std::size_t body = close;
    while (body < tokens_.size() && tokens_[body] != "{" && tokens_[body] != ";" &&
           tokens_[body] != "=")
      ++body;
    if (body == tokens_.size() || tokens_[body] != "{") {
      at_ = close;
      return;
    }
    if (tokens_[open - 1] != "noexcept") add(open, close);
    next_statement(behind_bracket(tokens_, body));
  }

  void add(std::size_t open, std::size_t close) {
    FunctionForm function;
    function.name = tokens_[open - 1];
    if (!scopes_.empty()) function.scope = scopes_.back();
    function.is_template = tokens_[begin_] == "template";
    function.result = result_of(Tokens(tokens_).subspan(begin_, open - 1 - begin_));
    function.place = place_of(tokens_[open - 1], "defined here");
    const Tokens list = Tokens(tokens_).subspan(open + 1, close - open - 2);
    for (const Tokens parameter : separated(list)) {
      if (written(parameter) == "...")
        function.is_variadic = true;
      else
        function.parameters.push_back(form_of(parameter));
    }
    found_.push_back(std::move(function));
  }

  /// Without specifiers.
  static std::string result_of(Tokens tokens) {
    constexpr auto specifiers = std::to_array<std::string_view>(
        {"static", "inline", "constexpr", "extern", "__device__", "__host__", "__forceinline__"});
    std::vector<std::string_view> kept;
    for (const std::string_view token : tokens)
      if (std::ranges::find(specifiers, token) == specifiers.end() && !token.starts_with('"'))
        kept.push_back(token);
    return written(kept);
  }

  /// By the commas outside of brackets.
  static std::vector<Tokens> separated(Tokens list) {
    std::vector<Tokens> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (std::string_view("([{<").find(list[k]) != std::string_view::npos) ++depth;
      if (std::string_view(")]}>").find(list[k]) != std::string_view::npos) --depth;
      if (list[k] != "," || depth > 0) continue;
      parts.push_back(list.subspan(begin, k - begin));
      begin = k + 1;
    }
    if (begin < list.size() && written(list) != "void") parts.push_back(list.subspan(begin));
    return parts;
  }

  ParameterForm form_of(Tokens tokens) const {
    ParameterForm form;
    form.text = written(tokens);
    form.place = place_of(tokens.empty() ? std::string_view() : tokens.back(), "declared here");
    if (tokens.size() > 1 && is_word(tokens.back()) && tokens.back() != "const")
      form.name = tokens.back();
    return form;
  }

  Diagnostic place_of(std::string_view token, const char* words) const {
    const std::size_t offset = token.data() == nullptr ? 0 : token.data() - source_.data();
    return note_in(source_, offset, file_, words);
  }

  const std::string& source_;
  const std::string& file_;
  const std::vector<std::string_view> tokens_;
  std::size_t at_ = 0, begin_ = 0;  ///< the token, and the first of its statement
  std::vector<std::string> scopes_;
  std::vector<FunctionForm> found_;
};

}  // namespace

Diagnostic note_in(const std::string& source, std::size_t offset, const std::string& file,
                   const std::string& words) {
  Diagnostic note;
  note.severity = Diagnostic::Severity::note;
  note.text = words;
  note.file = file;
  const std::size_t before = offset == 0 ? source.npos : source.rfind('\n', offset - 1);
  const std::size_t begin = before == source.npos ? 0 : before + 1;
  const auto first = source.end() - std::ssize(lines_that_count(source));
  const auto place = source.begin() + static_cast<std::ptrdiff_t>(offset);
  note.line = 1 + static_cast<int>(std::count(std::min(first, place), place, '\n'));
  note.column = static_cast<int>(offset - begin) + 1;
  note.source_line = source.substr(begin, source.find('\n', offset) - begin);
  return note;
}

std::vector<FunctionForm> scan_functions(const std::string& source, const std::string& file) {
  return FunctionScanner(source, file).run();
}

}  // namespace op2::jit
