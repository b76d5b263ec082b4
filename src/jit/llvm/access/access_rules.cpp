// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_rules.hpp>

#include <algorithm>
#include <utility>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <fmt/format.h>

#include <jit/llvm/clang_messages.hpp>

namespace op2::jit {
namespace {

constexpr char kept_values[] =
    "values from before count: set every component on every path, or declare OP_RW";

/// One kernel and the access modes of its loop.
class RuleCheck {
 public:
  RuleCheck(const clang::FunctionDecl& kernel, const std::vector<AccessRule>& rules)
      : kernel_(kernel), rules_(rules) {}

  std::vector<AccessFinding> run(const std::vector<ParameterUse>& uses) {
    for (std::size_t i = 0; i < uses.size() && i < kernel_.getNumParams(); ++i)
      check_use(i, uses[i]);
    return std::move(findings_);
  }

 private:
  void add(std::size_t argument, clang::SourceLocation location, std::string what,
           std::string advice) {
    const Diagnostic place = note_at(kernel_.getASTContext().getSourceManager(), location, "");
    findings_.push_back({.argument = static_cast<std::int32_t>(argument),
                         .what = std::move(what),
                         .advice = std::move(advice),
                         .file = place.file,
                         .line = place.line,
                         .column = place.column,
                         .source_line = place.source_line});
  }
  void add_omission(std::size_t argument, clang::SourceLocation location, std::string what,
                    std::string advice) {
    add(argument, location, std::move(what), std::move(advice));
    findings_.back().is_omission = 1;
  }

  /// Whether a parameter is unused on purpose.
  static bool is_meant(const clang::ParmVarDecl& parameter) {
    return parameter.getIdentifier() == nullptr || parameter.hasAttr<clang::UnusedAttr>();
  }

  void check_use(std::size_t i, const ParameterUse& use) {
    const AccessRule& rule = rules_[i];
    const auto* parameter = kernel_.getParamDecl(i);
    if (!rule.is_known || use.unsure) return;
    if (!parameter->isReferenced()) {
      if (!rule.may_be_unused && !is_meant(*parameter))
        add(i, parameter->getLocation(), "does not use it",
            fmt::format("leave it out of the loop, or write '(void){};' if that is meant",
                        parameter->getNameAsString()));
      return;
    }
    if (use.beyond.isValid()) return check_beyond(i, use);
    if (!rule.access) return;
    if (*rule.access == OP_READ && use.write.isValid())
      add(i, use.write, "writes it", "make it OP_RW, or OP_WRITE if the value before is not used");
    if (*rule.access == OP_WRITE) check_write(i, use, parameter->getLocation());
    if (*rule.access == OP_INC) check_increment(i, use);
    const bool is_extreme = *rule.access == OP_MIN || *rule.access == OP_MAX;
    if (is_extreme && rule.has_copies) check_extreme(i, use);
  }

  void check_beyond(std::size_t i, const ParameterUse& use) {
    const Extent& extent = rules_[i].extent;
    add(i, use.beyond,
        extent.rows > 1 ? fmt::format("uses index {} of {} x {} values", use.beyond_index,
                                      extent.rows, extent.components)
                        : fmt::format("uses index {}, but its dimension is {}", use.beyond_index,
                                      extent.components),
        "values of another element, or none, are there: correct the index or the dimension");
    findings_.back().beyond = use.beyond_always ? Beyond::certain : Beyond::possible;
  }

  void check_write(std::size_t i, const ParameterUse& use, clang::SourceLocation declared) {
    const auto count = [&](Mark mark) { return std::ranges::count(use.marks, mark); };
    const auto all = std::ssize(use.marks);
    const auto missed = count(Mark::untouched);
    if (use.read_untouched.isValid() && !rules_[i].set_by_some)
      return add(i, use.read_untouched, "reads it before writing it",
                 use.assign.isValid() || use.read.isValid()
                     ? "the value before counts: set it first, or make it OP_RW"
                     : "the value before counts: make it OP_INC if it is to be added to, else set "
                       "it first");
    if (use.write.isInvalid())
      return add_omission(i, declared, "does not write it", "set its values, or make it OP_READ");
    if (rules_[i].set_by_some || rules_[i].keeps_rest || count(Mark::unsure) > 0) return;
    if (missed > 0)
      return add_omission(i, use.write,
                          fmt::format("writes only {} of its {} values", all - missed, all),
                          kept_values);
    if (count(Mark::maybe) > 0)
      add_omission(i, use.write, "writes it only on some paths", kept_values);
  }

  void check_increment(std::size_t i, const ParameterUse& use) {
    if (use.assign.isValid())
      return add(
          i, use.assign, "assigns to it instead of adding",
          rules_[i].has_copies ? "add with += or -=" : "add with += or -=, or make it OP_RW");
    if (use.read.isValid() && rules_[i].has_copies)
      add(i, use.read, "reads it",
          "threads and ranks add to copies of it: read the sum in another loop");
  }

  void check_extreme(std::size_t i, const ParameterUse& use) {
    const bool is_least = rules_[i].access == OP_MIN;
    if (use.computed.isValid())
      return add(i, use.computed, "changes it by arithmetic",
                 fmt::format("threads compare their parts of it: set it to the {} of itself and "
                             "the value, or declare OP_INC for a sum",
                             is_least ? "minimum" : "maximum"));
    const auto assigned = std::ranges::count(use.marks, Mark::written);
    if (assigned > 0 && use.assign.isValid() && use.read_untouched.isInvalid())
      add(i, use.assign, "assigns to it without comparing",
          fmt::format("what other elements gave is lost: set it to the {} of itself and the value",
                      is_least ? "minimum" : "maximum"));
  }

  const clang::FunctionDecl& kernel_;
  const std::vector<AccessRule>& rules_;
  std::vector<AccessFinding> findings_;
};

/// The obstacle to a fact about a parameter.
ArgumentFacts stopped_by(std::string obstacle, const clang::ParmVarDecl& parameter,
                         clang::SourceLocation location) {
  const Diagnostic place = note_at(parameter.getASTContext().getSourceManager(), location, "");
  return {
      .why = std::move(obstacle), .file = place.file, .line = place.line, .column = place.column};
}

ArgumentFacts proof_of_write(const ParameterUse& use, const clang::ParmVarDecl& parameter) {
  if (use.read_early.isValid())
    return stopped_by("may read it before writing it", parameter, use.read_early);
  if (use.write.isInvalid())
    return stopped_by("does not write it", parameter, parameter.getLocation());
  if (use.missed == 0) return {.writes_all = true};
  const auto all = std::ssize(use.marks);
  if (use.missed < 0)
    return stopped_by("writes a number of values that is not known", parameter, use.write);
  return stopped_by(use.missed == all ? "writes it only on some paths"
                                      : fmt::format("writes only {} of its {} values on every path",
                                                    all - use.missed, all),
                    parameter, use.write);
}

ArgumentFacts proof_of_sum(const ParameterUse& use, const clang::ParmVarDecl& parameter) {
  if (use.assign.isValid()) return stopped_by("does not only add to it", parameter, use.assign);
  if (use.read.isValid()) return stopped_by("also reads it", parameter, use.read);
  if (use.inexact.isValid())
    return stopped_by("computes the sum in another type", parameter, use.inexact);
  if (use.write.isInvalid())
    return stopped_by("does not add to it", parameter, parameter.getLocation());
  return {.only_adds = true};
}

ArgumentFacts proof_of(const ParameterUse& use, const AccessRule& rule,
                       const clang::ParmVarDecl& parameter) {
  const bool is_dat = rule.is_known && !rule.set_by_some;
  const bool is_write = is_dat && rule.access == OP_WRITE;
  if (!is_write && !(is_dat && rule.access == OP_RW)) return {};
  if (use.unsure || use.doubted)
    return stopped_by("uses it in a way that the analysis cannot follow", parameter,
                      use.doubt.isValid() ? use.doubt : parameter.getLocation());
  if (use.beyond.isValid())
    return is_write ? ArgumentFacts{}
                    : stopped_by("uses an index beyond its values", parameter, use.beyond);
  const bool is_extreme = use.only_extremes && use.read.isInvalid() && use.lowers != use.raises;
  if (is_write) return proof_of_write(use, parameter);
  return is_extreme ? ArgumentFacts{.only_lowers = use.lowers, .only_raises = use.raises}
                    : proof_of_sum(use, parameter);
}

/// Whether every component is a constant zero in the end, whatever it was before.
bool leaves_zero(const ParameterUse& use, const AccessRule& rule) {
  const bool is_dat = rule.is_known && !rule.set_by_some;
  return is_dat && (rule.access == OP_WRITE || rule.access == OP_RW) && !use.unsure &&
         !use.doubted && use.beyond.isInvalid() && use.write.isValid() && use.missed == 0 &&
         use.other_than_zero.isInvalid();
}

}  // namespace

AccessAnalysis analyse_access(const clang::FunctionDecl& kernel,
                              const std::vector<AccessRule>& rules) {
  std::vector<Extent> extents;
  for (const AccessRule& rule : rules) extents.push_back(rule.extent);
  const auto uses = uses_of(kernel, extents);
  AccessAnalysis result{RuleCheck(kernel, rules).run(uses), {}};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    ArgumentFacts& facts = result.facts.emplace_back();
    if (i >= kernel.getNumParams()) continue;
    facts = proof_of(uses[i], rules[i], *kernel.getParamDecl(i));
    facts.leaves_zero = leaves_zero(uses[i], rules[i]);
  }
  return result;
}

}  // namespace op2::jit
