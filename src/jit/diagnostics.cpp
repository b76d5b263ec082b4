// SPDX-License-Identifier: BSD-3-Clause
#include <jit/diagnostics.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/common_headers.hpp>
#include <jit/source_location.hpp>
#include <jit/source_scan.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

const char* name_of(Diagnostic::Severity severity) {
  constexpr const char* names[] = {"error", "warning", "note"};
  return names[static_cast<int>(severity)];
}

/// "loop 'res_calc' (airfoil.cpp:212)"
std::string where_is(const KernelContext& context) {
  return fmt::format("loop '{}' ({})", context.origin.loop, context.origin.call_site);
}

ErrorCode code_of(Diagnostic::Kind kind) {
  switch (kind) {
    case Diagnostic::Kind::unknown_symbol:
      return ErrorCode::unknown_symbol;
    case Diagnostic::Kind::missing_include:
      return ErrorCode::kernel_include;
    case Diagnostic::Kind::limit:
      return ErrorCode::kernel_limits;
    default:
      return ErrorCode::kernel_source;
  }
}

struct DeclaredName {
  std::string_view name;
  const char* header;
};

/// The most used names of supplied headers that are not included by default.
constexpr DeclaredName declared_names[] = {
    {"printf", "cstdio"},         {"puts", "cstdio"},        {"memcpy", "cstring"},
    {"memmove", "cstring"},       {"memset", "cstring"},     {"assert", "cassert"},
    {"DBL_MAX", "cfloat"},        {"DBL_MIN", "cfloat"},     {"DBL_EPSILON", "cfloat"},
    {"FLT_MAX", "cfloat"},        {"FLT_MIN", "cfloat"},     {"FLT_EPSILON", "cfloat"},
    {"INT_MAX", "climits"},       {"INT_MIN", "climits"},    {"UINT_MAX", "climits"},
    {"LONG_MAX", "climits"},      {"LONG_MIN", "climits"},   {"LLONG_MAX", "climits"},
    {"LLONG_MIN", "climits"},     {"strlen", "cstring"},     {"memcmp", "cstring"},
    {"numeric_limits", "limits"}, {"complex", "complex"},    {"array", "array"},
    {"numbers", "numbers"},       {"accumulate", "numeric"}, {"inner_product", "numeric"},
    {"iota", "numeric"},          {"gcd", "numeric"},        {"greater", "functional"},
};

/// Classes of C++'s library that kernels use in vain: they allocate memory.
constexpr std::string_view allocating_classes[] = {
    "vector", "string", "list", "map", "set", "deque", "unordered_map", "unique_ptr", "shared_ptr"};

/// Whether the source uses one of them: C++'s, not one that the user has written.
bool is_allocating_class(const Diagnostic& diagnostic) {
  const std::string_view text = diagnostic.text;
  return std::ranges::count(allocating_classes, diagnostic.subject) != 0 &&
         (text.ends_with("namespace 'std'") || text.starts_with("no template named"));
}

/// Whether the source calls the subject: it is followed by a bracket.
bool is_called(const Diagnostic& diagnostic) {
  const std::string_view line = diagnostic.source_line;
  const std::string_view name = diagnostic.subject;
  std::size_t at = diagnostic.column < 1 ? 0 : static_cast<std::size_t>(diagnostic.column) - 1;
  if (at > line.size() || !line.substr(at).starts_with(name)) at = line.find(name);
  if (at == std::string_view::npos) return false;
  const std::size_t next = line.find_first_not_of(" \t", at + name.size());
  return next != std::string_view::npos && line[next] == '(';
}

/// Where an OP_KERNEL finds names of the program.
constexpr const char* in_header = "in a header that OP2_KERNEL_HEADER names";

std::string functions_hint(const std::string& unknown, const op_kernel_core& kernel) {
  if (is_macro(kernel))
    return fmt::format(
        "a kernel sees functions of the program only {}: define '{}' there, or write it as a "
        "lambda in the kernel",
        in_header, unknown);
  return fmt::format("a kernel cannot call functions of the program: write '{}' in its source",
                     unknown);
}

std::string constants_hint(const std::string& unknown, const std::vector<std::string>& constants) {
  if (constants.empty()) return "no constants are declared (op_decl_const declares them)";
  const std::string list = fmt::format("declared constants: {}", fmt::join(constants, ", "));
  return list + core::did_you_mean(unknown, constants);
}

/// Of a relative folder; itself if the program is not known.
fs::path in_folder_of_program(const fs::path& folder) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path() / folder;
  const std::string name = program.lexically_normal();
  return name.size() > 1 && name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
}

std::string include_hint(const Diagnostic& diagnostic, const op_kernel_core& kernel) {
  const auto written = [&](const char* form) {
    return diagnostic.source_line.find(fmt::format(fmt::runtime(form), diagnostic.subject)) !=
           std::string::npos;
  };
  if (written("<{}>")) {
    return fmt::format("kernels can include <{}>, and files in quotes",
                       fmt::join(offered_headers, ">, <"));
  }
  if (!written("\"{}\"")) return "write the file's name in the #include itself, not in a macro";
  const fs::path folder = folder_of(kernel);
  std::string folders = folder;
  if (is_macro(kernel) && folder.is_relative())
    folders += ", " + in_folder_of_program(folder).string();
  return fmt::format("folders searched for \"{}\": {}", diagnostic.subject, folders);
}

/// Advice, e.g. "; declared constants: gam; did you mean 'gam'?" or "; add #include <cstdio>"; may
/// be empty.
/// @param constants  names of all declared constants
std::string hint_for(const Diagnostic& diagnostic, const op_kernel_core& kernel,
                     const std::vector<std::string>& constants) {
  for (const auto& [name, header] : declared_names) {
    if (diagnostic.subject == name) return fmt::format("; add #include <{}>", header);
  }
  if (is_allocating_class(diagnostic))
    return "; kernels allocate no memory: use arrays of fixed size, or std::array of <array>";
  switch (diagnostic.kind) {
    case Diagnostic::Kind::unknown_symbol:
      if (is_called(diagnostic)) return "; " + functions_hint(diagnostic.subject, kernel);
      return "; " + constants_hint(diagnostic.subject, constants) +
             (is_macro(kernel) ? fmt::format("; other names of the program belong {}", in_header)
                               : "");
    case Diagnostic::Kind::unknown_type:
      return is_macro(kernel)
                 ? fmt::format("; a kernel sees types of the program only {}: define it there",
                               in_header)
                 : "; define it in the source, or in a file that the source includes";
    case Diagnostic::Kind::missing_include:
      return "; " + include_hint(diagnostic, kernel);
    default:
      return {};
  }
}

/// An unclosed bracket, which the compiler reports after the source's end; a note tells where it
/// is.
std::optional<Diagnostic> open_bracket(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& each : diagnostics) {
    if (each.file == generated_file || each.kind != Diagnostic::Kind::open_bracket) continue;
    Diagnostic found = each;
    found.text = fmt::format("the source ends inside the '{}' that is opened here", each.subject);
    return found;
  }
  return {};
}

/// A name that the source defines although it is a declared constant; a note is at our declaration.
bool is_clash(std::span<const Diagnostic> diagnostics, const KernelContext& context) {
  return diagnostics.size() > 1 && diagnostics[1].file.empty() &&
         diagnostics[0].kind == Diagnostic::Kind::redefinition &&
         std::ranges::count(context.constants, diagnostics[0].subject) != 0;
}

/// The first error and its location, with what else is known of it.
/// @param diagnostics  from the first error on
Diagnostic headline_of(std::span<const Diagnostic> diagnostics, const KernelContext& context) {
  Diagnostic first = diagnostics.front();
  if (first.file == generated_file) {
    if (const auto found = open_bracket(diagnostics)) return *found;
  }
  if (is_clash(diagnostics, context))
    first.text = fmt::format(
        "it defines '{}', but op_decl_const declares a constant of that name too; rename one of "
        "them",
        first.subject);
  else
    first.text += hint_for(first, context.kernel(), context.constants);
  return first;
}

/// The source line, cut to a window around the column, and a caret below the column: two lines,
/// each after a line break; that of the user's file, if the compiler has seen another one. Empty if
/// there is none.
std::string snippet_of(const Diagnostic& diagnostic, const KernelContext& context) {
  constexpr int shown_width = 110;  // of the source line
  std::string_view line = diagnostic.source_line;
  int column = diagnostic.column - 1;
  std::optional<SourceLocation> place;
  if (diagnostic.file == context.kernel().name)
    place = context.locator().find(diagnostic.line, diagnostic.column);
  if (place && !place->text.empty()) {
    line = place->text;
    column = place->column - 1;
  }
  const int first = std::max(0, column - shown_width * 2 / 3);
  if (line.empty() || column < 0 || first > static_cast<int>(line.size())) return {};
  std::string before(line.substr(first, column - first));
  std::replace_if(before.begin(), before.end(), [](char c) { return c != '\t'; }, ' ');
  const bool cut_before = first > 0;
  const bool cut_after = first + shown_width < static_cast<int>(line.size());
  return fmt::format("\n{}{}{}\n{}{}^", cut_before ? "..." : "", line.substr(first, shown_width),
                     cut_after ? "..." : "", cut_before ? "   " : "", before);
}

/// One line per message, and the source line below it. Messages about generated code are shown only
/// if there are no others.
std::string listing(std::span<const Diagnostic> diagnostics, const KernelContext& context) {
  const auto is_generated = [](const Diagnostic& each) { return each.file == generated_file; };
  const bool all = std::ranges::all_of(diagnostics, is_generated);
  std::string lines;
  for (const Diagnostic& each : diagnostics) {
    if (is_generated(each) && !all) continue;
    lines += fmt::format("\n{}: {}: {}{}", location_of(each, context), name_of(each.severity),
                         each.text, snippet_of(each, context));
  }
  return lines;
}

/// A location that follows the name of the kernel: "line 3: " or "main.cpp:7:2: ".
std::string place_after_name(std::string location, const KernelContext& context) {
  const std::string name = fmt::format("kernel '{}'", context.kernel().name);
  if (location.starts_with(name)) location.erase(0, name.size() + 1);
  return location.empty() ? "" : location + ": ";
}

Error rejection(const CompileResult& result, const KernelContext& context,
                const std::string& where) {
  const auto& all = result.diagnostics;
  const auto first = std::ranges::find_if(all, is_error);
  if (first == all.end()) {
    return {ErrorCode::kernel_source, fmt::format("{}: kernel '{}' does not compile: {}", where,
                                                  context.kernel().name, result.message)};
  }
  const Diagnostic headline = headline_of({first, all.end()}, context);
  return {code_of(first->kind),
          fmt::format("{}: kernel '{}' does not compile: {}{}{}", where, context.kernel().name,
                      place_after_name(location_of(headline, context), context), headline.text,
                      listing(all, context))};
}

Diagnostic diagnostic_of(const AccessFinding& finding) {
  return {.severity = Diagnostic::Severity::warning,
          .file = finding.file,
          .line = finding.line,
          .column = finding.column,
          .text = finding.what,
          .source_line = finding.source_line};
}

/// " (OP_INC)"; empty for an index argument.
std::string mode_of(const ArgShape& shape) {
  return shape.kind == OP_ARG_IDX ? "" : fmt::format(" ({})", core::name_of(shape.access));
}

/// Whether a finding is that a direct OP_WRITE does not replace whole rows.
bool keeps_values(const AccessFinding& finding, const ArgShape& shape) {
  return finding.beyond == Beyond::none && shape.kind == OP_ARG_DAT && shape.access == OP_WRITE &&
         shape.map < 0;
}

/// The location of the source, also if its lines are not found in the user's file.
std::string seen_at(const Diagnostic& diagnostic, const KernelContext& context) {
  std::string place = location_of(diagnostic, context);
  const bool is_found = diagnostic.file != context.kernel().name ||
                        context.locator().find(diagnostic.line, diagnostic.column).has_value();
  if (is_found || context.kernel().file == nullptr) return place;
  return fmt::format("{}:{}: {}", context.kernel().file, context.kernel().line, place);
}

}  // namespace

std::string location_of(const Diagnostic& diagnostic, const KernelContext& context) {
  if (diagnostic.file == generated_file) {
    return fmt::format("kernel '{}' after the last line of its source", context.kernel().name);
  }
  const bool is_of_source = diagnostic.file == context.kernel().name;
  if (diagnostic.kind == Diagnostic::Kind::missing_include && is_of_source &&
      is_macro(context.kernel()))
    return fmt::format("{}:{}", context.kernel().file, context.kernel().line);
  if (diagnostic.line == 0) return fmt::format("kernel '{}'", context.kernel().name);
  if (diagnostic.file.empty())
    return fmt::format("constants of kernel '{}'", context.kernel().name);
  if (is_of_source) {
    const auto place = context.locator().find(diagnostic.line, diagnostic.column);
    if (place) return fmt::format("{}:{}:{}", place->file, place->line, place->column);
    return fmt::format("kernel '{}' line {}", context.kernel().name, diagnostic.line);
  }
  const bool is_own = std::ranges::any_of(
      context.includes, [&](const auto& file) { return file.name == diagnostic.file; });
  const std::string file = is_own ? folder_of(context.kernel()) + "/" + diagnostic.file
                                  : fmt::format("<{}>", diagnostic.file);
  return fmt::format("{}:{}:{}", file, diagnostic.line, diagnostic.column);
}

Error compile_error(const CompileResult& result, const KernelContext& context) {
  const std::string where = where_is(context);
  const auto about = [&](const char* form) {
    return fmt::format(fmt::runtime(form), where, context.kernel().name, result.message);
  };
  switch (result.status) {
    case CompileStatus::wrong_signature:
      return {ErrorCode::kernel_signature,
              fmt::format("{}: {}{}", where, result.message, listing(result.diagnostics, context))};
    case CompileStatus::crashed:
      return {
          ErrorCode::compiler_crash,
          about("{}: the compiler failed on kernel '{}': {}; simplify the kernel") +
              (context.kernel().host == nullptr ? ", or give it a host function (OP_KERNEL)" : "")};
    case CompileStatus::over_limit:
      return {ErrorCode::kernel_limits,
              about("{}: the compiler needs too much for kernel '{}': {}; simplify the kernel, or "
                    "set OP2_JIT_LIMIT to more")};
    case CompileStatus::unavailable:
      return {ErrorCode::plugin_failure,
              about("{}: kernel '{}' cannot be compiled: {}; install all of libop2, and the "
                    "libraries of LLVM and Clang of the version that --op2-version names (Debian, "
                    "of 19: libllvm19, libclang-cpp19)")};
    case CompileStatus::no_thread:
      return {ErrorCode::out_of_memory,
              about("{}: a thread that compiles kernel '{}' cannot be started: {}; allow more "
                    "threads (ulimit -u), or start fewer processes on the machine")};
    default:
      return rejection(result, context, where);
  }
}

std::string compile_warnings(const CompileResult& result, const KernelContext& context) {
  std::vector<Diagnostic> own;
  std::copy_if(result.diagnostics.begin(), result.diagnostics.end(), std::back_inserter(own),
               [](const Diagnostic& each) { return each.line > 0 && each.file != generated_file; });
  if (own.empty()) return {};
  return fmt::format("{}: the compiler warns of kernel '{}':{}", where_is(context),
                     context.kernel().name, listing(own, context));
}

std::string folder_of(const op_kernel_core& kernel) {
  const fs::path file = kernel.file != nullptr ? kernel.file : "";
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!is_macro(kernel) || folder.is_absolute()) return folder;
  const std::vector<std::string> headers = scan_source(kernel.source).includes;
  std::error_code ignored;
  if (headers.empty() || fs::exists(folder / headers.front(), ignored)) return folder;
  const fs::path program = in_folder_of_program(folder);
  return fs::exists(program / headers.front(), ignored) ? program : folder;
}

std::vector<AccessMessage> access_messages(const std::vector<AccessFinding>& findings,
                                           const LoopRequest& request, std::size_t call,
                                           const KernelContext& context) {
  const std::string where = where_is(context);
  const std::vector<ParameterShape> parameters = parameters_of(request.nest, call);
  std::vector<AccessMessage> messages;
  for (const AccessFinding& finding : findings) {
    if (!std::cmp_equal(finding.call, call)) continue;
    const auto& off = request.origins[call].optional;
    const bool may_be_off = std::ranges::find(off, finding.argument) != off.end();
    if (finding.is_omission != 0 && may_be_off) continue;
    const Diagnostic diagnostic = diagnostic_of(finding);
    const std::string place = seen_at(diagnostic, context);
    const ArgShape& shape = parameters.at(static_cast<std::size_t>(finding.argument)).arg;
    messages.push_back(
        {finding.beyond == Beyond::certain, keeps_values(finding, shape) && !may_be_off,
         fmt::format("access {} {} {} {}", context.kernel().name, finding.argument, finding.what,
                     place),
         fmt::format("{}: arg {}{}: kernel '{}' {} ({}); {}{}", where, finding.argument,
                     mode_of(shape), context.kernel().name, finding.what, place, finding.advice,
                     snippet_of(diagnostic, context))});
  }
  return messages;
}

std::optional<Error> access_error(const std::vector<AccessMessage>& messages, bool all) {
  std::string text;
  bool is_chosen = false;
  for (const AccessMessage& message : messages) {
    if (!all && !message.is_error) continue;
    text += (text.empty() ? "" : "\n") + message.text;
    is_chosen = is_chosen || !message.is_error;
  }
  if (text.empty()) return std::nullopt;
  if (is_chosen) text += "\nAn error because of OP2_CHECK=access.";
  return Error(ErrorCode::kernel_access, text);
}

}  // namespace op2::jit
