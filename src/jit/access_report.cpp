// SPDX-License-Identifier: BSD-3-Clause
#include <jit/access_report.hpp>

#include <algorithm>

#include <utility>

#include <fmt/format.h>

#include <core/access.hpp>

namespace op2::jit {
namespace {

Diagnostic diagnostic_of(const AccessFinding& finding) {
  return {.severity = Diagnostic::Severity::warning,
          .file = finding.file,
          .line = finding.line,
          .column = finding.column,
          .text = finding.what,
          .source_line = finding.source_line,
          .subject = {}};
}

/// An argument of a call with the access that the call declares.
ArgShape shape_at(std::int32_t argument, const LoopNest& nest, const KernelCall& call) {
  std::int32_t number = 0;
  for (const CallArg& arg : call.args)
    if (arg.members != 0 && number++ >= argument) return shape_of(nest, arg);
  return {};
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
std::string seen_at(const Diagnostic& diagnostic, const KernelContext& context,
                    const SourceLocator& locator) {
  std::string place = location_of(diagnostic, context, locator);
  const bool is_found = diagnostic.file != context.kernel.name ||
                        locator.find(diagnostic.line, diagnostic.column).has_value();
  if (is_found || context.kernel.file == nullptr) return place;
  return fmt::format("{}:{}: {}", context.kernel.file, context.kernel.line, place);
}

}  // namespace

std::vector<AccessMessage> access_messages(const std::vector<AccessFinding>& findings,
                                           const LoopRequest& request, std::size_t call,
                                           const KernelContext& context) {
  const SourceLocator locator(context.kernel);
  const std::string where = where_is(context);
  std::vector<AccessMessage> messages;
  for (const AccessFinding& finding : findings) {
    if (!std::cmp_equal(finding.call, call)) continue;
    const auto& off = request.origins[call].optional;
    const bool may_be_off = std::find(off.begin(), off.end(), finding.argument) != off.end();
    if (finding.is_omission != 0 && may_be_off) continue;
    const Diagnostic diagnostic = diagnostic_of(finding);
    const std::string place = seen_at(diagnostic, context, locator);
    const ArgShape shape = shape_at(finding.argument, request.nest, request.nest.calls[call]);
    messages.push_back(
        {finding.beyond == Beyond::certain, keeps_values(finding, shape) && !may_be_off,
         fmt::format("access {} {} {} {}", context.kernel.name, finding.argument, finding.what,
                     place),
         fmt::format("{}: arg {}{}: kernel '{}' {} ({}); {}{}", where, finding.argument,
                     mode_of(shape), context.kernel.name, finding.what, place, finding.advice,
                     snippet_of(diagnostic, context, locator))});
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
