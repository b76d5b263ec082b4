// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_rules.hpp>

#include <algorithm>
#include <utility>

#include <clang/AST/Attr.h>
#include <fmt/format.h>

namespace op2::jit {
namespace {

constexpr char kept_values[] =
    "values from before count: set every component on every path, or declare OP_RW";

/// One kernel and the access modes of its loop.
class RuleCheck {
 public:
  RuleCheck(const clang::FunctionDecl& kernel, const std::vector<AccessRule>& rules)
      : kernel_(kernel), rules_(rules) {}

  std::vector<AccessFault> run(int most_steps) {
    std::vector<Extent> extents;
    for (const AccessRule& rule : rules_) extents.push_back(rule.extent);
    const auto uses = uses_of(kernel_, extents, most_steps);
    for (std::size_t i = 0; i < uses.size() && i < kernel_.getNumParams(); ++i)
      check_use(i, uses[i]);
    return std::move(faults_);
  }

 private:
  void add(std::size_t argument, clang::SourceLocation place, std::string what,
           std::string advice) {
    faults_.push_back({argument, place, std::move(what), std::move(advice)});
  }
  void add_omission(std::size_t argument, clang::SourceLocation place, std::string what,
                    std::string advice) {
    faults_.push_back({argument, place, std::move(what), std::move(advice), true});
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
    faults_.back().beyond = use.beyond_always ? Beyond::certain : Beyond::possible;
  }

  void check_write(std::size_t i, const ParameterUse& use, clang::SourceLocation declared) {
    const auto count = [&](Mark mark) {
      return std::count(use.marks.begin(), use.marks.end(), mark);
    };
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
    const auto assigned = std::count(use.marks.begin(), use.marks.end(), Mark::written);
    if (assigned > 0 && use.assign.isValid() && use.read_untouched.isInvalid())
      add(i, use.assign, "assigns to it without comparing",
          fmt::format("what other elements gave is lost: set it to the {} of itself and the value",
                      is_least ? "minimum" : "maximum"));
  }

  const clang::FunctionDecl& kernel_;
  const std::vector<AccessRule>& rules_;
  std::vector<AccessFault> faults_;
};

}  // namespace

std::vector<AccessFault> access_faults(const clang::FunctionDecl& kernel,
                                       const std::vector<AccessRule>& rules, int most_steps) {
  return RuleCheck(kernel, rules).run(most_steps);
}

}  // namespace op2::jit
