// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/source_check.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <jit/math_names.hpp>
#include <jit/source_rules.hpp>
#include <jit/source_scan.hpp>
#include <jit/target/cuda/scan_functions.hpp>

namespace op2::jit {
namespace {

using Severity = Diagnostic::Severity;
using Tokens = std::span<const std::string_view>;

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, token) != words.end();
}

/// The name of the variable whose declaration begins with `static`; empty if it is const, or a
/// function.
std::string_view changing_variable(Tokens declaration) {
  std::string_view name;
  for (const std::string_view token : declaration) {
    if (is_one_of(token, {"const", "constexpr", "(", "&"})) return {};
    if (is_one_of(token, {"=", ";", "{", "["})) return name;
    name = token;
  }
  return {};
}

/// Whether all parameters are of the type: their texts are "double x" or "double".
bool all_are(const FunctionForm& function, std::string_view type) {
  return std::ranges::all_of(function.parameters, [&](const ParameterForm& parameter) {
    const std::string_view text = parameter.text;
    return text == type || text == std::string(type) + " " + parameter.name;
  });
}

/// Whether it has the parameters of a function of the library with that name.
bool redefines_library(const FunctionForm& function) {
  const auto within = [&](const auto& list) {
    return std::ranges::find(list, function.name) != list.end();
  };
  const std::size_t wanted = within(unary_functions) ? 1 : within(binary_functions) ? 2 : 0;
  return wanted > 0 && function.scope.empty() && !function.is_template &&
         function.parameters.size() == wanted &&
         (all_are(function, "double") || all_are(function, "float"));
}

/// One source or file.
class TextCheck {
 public:
  TextCheck(const std::string& text, const std::string& file, std::vector<Diagnostic>& found)
      : text_(text), file_(file), found_(found) {}

  void run() {
    const SourceScan scan = scan_source(text_);
    const Tokens tokens = scan.tokens;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      const std::string_view token = tokens[k];
      const bool is_deleted = token == "delete" && k > 0 && tokens[k - 1] == "=";
      if (token == "{") ++depth_;
      if (token == "}") --depth_;
      if (is_one_of(token, {"new", "delete"}) && !is_deleted)
        add(Severity::error, token, allocates);
      if (token == "virtual") add(Severity::error, token, is_virtual);
      if (token.starts_with('#')) enter_condition(token.substr(1));
      if (is_one_of(token, {"asm", "__asm__", "__asm"}))
        add(conditions_ > 0 ? Severity::warning : Severity::error, token, has_assembly);
      if (token == "static" && depth_ > 0) check_static(tokens.subspan(k + 1));
    }
    for (const FunctionForm& function : scan_functions(text_, file_))
      if (redefines_library(function)) {
        found_.push_back(function.place);
        found_.back().severity = Severity::error;
        found_.back().text = redefines(function.name);
      }
  }

 private:
  /// @param directive  "if" and the like, perhaps behind blanks
  void enter_condition(std::string_view directive) {
    directive.remove_prefix(std::min(directive.find_first_not_of(" \t"), directive.size()));
    if (directive.starts_with("if")) ++conditions_;
    if (directive.starts_with("endif")) --conditions_;
  }

  void check_static(Tokens declaration) {
    const std::string_view name = changing_variable(declaration);
    if (!name.empty()) add(Severity::warning, name, keeps_state(name));
  }

  void add(Severity severity, std::string_view token, const std::string& words) {
    found_.push_back(note_in(text_, token.data() - text_.data(), file_, words));
    found_.back().severity = severity;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Diagnostic>& found_;
  int depth_ = 0;       ///< of braces
  int conditions_ = 0;  ///< #if that no #endif has closed
};

}  // namespace

std::vector<Diagnostic> check_sources(const LoopNest& nest) {
  std::vector<Diagnostic> found;
  for (std::size_t n = 0; n < nest.calls.size(); ++n) {
    const std::size_t first = found.size();
    TextCheck(nest.calls[n].source, nest.calls[n].name, found).run();
    for (const IncludedFile& file : nest.calls[n].includes)
      TextCheck(file.text, file.name, found).run();
    for (std::size_t k = first; k < found.size(); ++k) found[k].unit = static_cast<std::int32_t>(n);
  }
  return found;
}

}  // namespace op2::jit
