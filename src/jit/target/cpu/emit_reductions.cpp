// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_reductions.hpp>

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/exact_sum.hpp>

namespace op2::jit {
namespace {

using Args = std::vector<ArgShape>;

/// A value and the index of its element; expressions.
struct Candidate {
  std::string value, index;
};

/// Whether a candidate is better than another one; without branches.
std::string is_better(const ArgShape& extreme, const Candidate& one, const Candidate& best,
                      Zeros zeros) {
  const bool is_least = extreme.access == OP_MIN;
  if (zeros == Zeros::ordered)
    return fmt::format("{}({}, {}, {}, {})", is_least ? "op2_is_lower" : "op2_is_higher", one.value,
                       one.index, best.value, best.index);
  return fmt::format("({0} {4} {2}) | (({0} == {2}) & ({1} < {3}))", one.value, one.index,
                     best.value, best.index, is_least ? "<" : ">");
}

std::string copy_of(const ArgShape& arg, const std::string& to, const std::string& from) {
  return fmt::format("__builtin_memcpy({}, {}, {} * sizeof({}));", to, from, arg.dim, type_of(arg));
}

/// The element's index, from the table of the first payload.
std::string index_of_element(const Args& args) {
  for (std::size_t k = 0; k < args.size(); ++k)
    if (is_payload(args[k]))
      return fmt::format("op2_order{0} ? op2_order{0}[op2_element] : static_cast<int>(op2_element)",
                         k);
  return {};
}

/// Terms that are collected together: 8 KB of doubles, which stay in the nearest cache.
constexpr int most_terms = 1024;

/// Components that are cut as they are made: what that takes stays in registers.
constexpr int most_cut_components = 2;

// A minimum is -0 rather than +0, and NaN if a value is. Of equal candidates for a payload that of
// the lowest index counts.
constexpr const char* functions = R"(
struct op2_term_cut {
  double op2_places[3];
  unsigned long op2_sums[3];
  long op2_terms, op2_deep;
};
struct op2_term_block {
  void (*op2_add)(op2_term_block*, const void*, long, long);
  op2_term_cut* op2_cuts;
};
template <class op2_value, int op2_dim>
static inline void op2_from_zero(op2_value (&op2_own)[op2_dim]) {
  for (int op2_k = 0; op2_k < op2_dim; ++op2_k) op2_own[op2_k] = static_cast<op2_value>(-op2_value{});
}
struct op2_slotted {
  unsigned long op2_which;
  const int* op2_targets;
};
static inline bool op2_any_slot(const op2_slotted* op2_all, unsigned long op2_first, int op2_count) {
  if (op2_all == nullptr) return false;
  const op2_slotted* op2_some = op2_all + op2_first / 64;
  const unsigned long op2_skipped = op2_first % 64;
  unsigned long op2_bits = op2_some[0].op2_which >> op2_skipped;
  if (op2_skipped + op2_count > 64) op2_bits |= op2_some[1].op2_which << (64 - op2_skipped);
  return (op2_bits & ((1UL << op2_count) - 1)) != 0;
}
static inline int op2_target(const op2_slotted* op2_all, unsigned long op2_element, int op2_arity, int op2_column, int op2_row) {
  if (op2_all == nullptr) return op2_row;
  const op2_slotted op2_some = op2_all[op2_element / 64];
  const unsigned long op2_bit = 1UL << op2_element % 64;
  if ((op2_some.op2_which & op2_bit) == 0) return op2_row;
  return op2_some.op2_targets[__builtin_popcountl(op2_some.op2_which & (op2_bit - 1)) * op2_arity + op2_column];
}
template <class op2_value> static inline op2_value* op2_place(op2_value* op2_rows, op2_value* op2_slots_end, long op2_to, long op2_dim) {
  return (op2_to >= 0 ? op2_rows : op2_slots_end) + op2_to * op2_dim;
}
template <class op2_value, int op2_dim>
static inline void op2_add(op2_value* op2_to, const op2_value (&op2_own)[op2_dim]) {
  for (int op2_k = 0; op2_k < op2_dim; ++op2_k) op2_to[op2_k] += op2_own[op2_k];
}
template <class op2_value> static inline bool op2_is_negative(op2_value op2_a) {
  if constexpr (static_cast<op2_value>(1) / 2 == 0)
    return op2_a < 0;
  else
    return __builtin_signbit(op2_a);
}
template <class op2_value> static inline op2_value op2_least(op2_value op2_a, op2_value op2_b) {
  const bool op2_take = (op2_b < op2_a) | ((op2_b == op2_a) & op2_is_negative(op2_b)) | (op2_b != op2_b);
  return op2_take ? op2_b : op2_a;
}
template <class op2_value> static inline op2_value op2_greatest(op2_value op2_a, op2_value op2_b) {
  const bool op2_take = (op2_b > op2_a) | ((op2_b == op2_a) & !op2_is_negative(op2_b)) | (op2_b != op2_b);
  return op2_take ? op2_b : op2_a;
}
template <class op2_value> static inline bool op2_is_less(op2_value op2_a, op2_value op2_b) {
  return (op2_a < op2_b) | ((op2_a == op2_b) & op2_is_negative(op2_a) & !op2_is_negative(op2_b));
}
template <class op2_value> static inline bool op2_is_lower(op2_value op2_a, long op2_i, op2_value op2_b, long op2_j) {
  return op2_is_less(op2_a, op2_b) | ((op2_a == op2_b) & !op2_is_less(op2_b, op2_a) & (op2_i < op2_j));
}
template <class op2_value> static inline bool op2_is_higher(op2_value op2_a, long op2_i, op2_value op2_b, long op2_j) {
  return op2_is_less(op2_b, op2_a) | ((op2_a == op2_b) & !op2_is_less(op2_a, op2_b) & (op2_i < op2_j));
}
)";

/// One statement for each argument.
Statements for_all(const std::vector<std::size_t>& args, const auto& statement) {
  Statements text;
  for (const std::size_t i : args) text.push_back(statement(i));
  return text;
}

/// One statement for each component of an argument.
Statements for_components(const ArgShape& arg, const auto& statement) {
  Statements text;
  for (int k = 0; k < arg.dim; ++k) text.push_back(statement(k));
  return text;
}

/// The block of a sum, an expression.
std::string block_of(std::size_t i) {
  return fmt::format("static_cast<op2_term_block*>(op2_args[{}].op2_base)", i);
}

std::string combine_name(const ArgShape& extreme) {
  return extreme.access == OP_MIN ? "op2_least" : "op2_greatest";
}

}  // namespace

bool is_offered(const Args& args, std::size_t position) {
  return is_payload(args[position]) || !payloads_of(args, position).empty();
}

Statements candidate_declarations(const Args& args) {
  Statements text;
  for (const std::size_t i : extremes_of(args))
    text.insert(text.end(),
                {fmt::format("{0} op2_best{1} = *op2_global{1};", type_of(args[i]), i),
                 fmt::format("long op2_found{} = *op2_from{};", i, payloads_of(args, i).front())});
  return text;
}

Statements offer_declarations(const Args& args) {
  Statements text;
  for (std::size_t k = 0; k < args.size(); ++k)
    if (is_offered(args, k)) text.push_back(offer_declaration(args[k], k));
  return text;
}

Statements offer_choices(const Args& args, Zeros zeros) {
  Statements text;
  if (extremes_of(args).empty()) return text;
  text.push_back(fmt::format("const long op2_index = {};", index_of_element(args)));
  for (const std::size_t i : extremes_of(args)) {
    text.push_back(fmt::format(
        "if ({}) {{",
        is_better(args[i], {fmt::format("op2_offer{}[0]", i), "op2_index"},
                  {fmt::format("op2_best{}", i), fmt::format("op2_found{}", i)}, zeros)));
    text.push_back(fmt::format("  op2_best{0} = op2_offer{0}[0];", i));
    text.push_back(fmt::format("  op2_found{} = op2_index;", i));
    for (const std::size_t k : payloads_of(args, i))
      text.push_back(
          "  " + copy_of(args[k], fmt::format("op2_global{}", k), fmt::format("op2_offer{}", k)));
    text.emplace_back("}");
  }
  return text;
}

Statements candidate_stores(const Args& args) {
  Statements text;
  for (const std::size_t i : extremes_of(args)) {
    text.push_back(fmt::format("*op2_global{0} = op2_best{0};", i));
    for (const std::size_t k : payloads_of(args, i))
      text.push_back(fmt::format("*op2_from{} = op2_found{};", k, i));
  }
  return text;
}

Statements lane_declarations(const Args& args, int width) {
  Statements text;
  for (std::size_t k = 0; k < args.size(); ++k)
    if (is_offered(args, k))
      text.insert(text.end(),
                  {fmt::format("{} op2_lanes{}[{}][{}];", type_of(args[k]), k, args[k].dim, width),
                   fmt::format("op2_simd::fill(op2_lanes{0}, op2_global{0});", k)});
  for (const std::size_t i : extremes_of(args))
    text.insert(text.end(), {fmt::format("int op2_found{}[1][{}];", i, width),
                             fmt::format("const int op2_before{} = static_cast<int>(*op2_from{});",
                                         i, payloads_of(args, i).front()),
                             fmt::format("op2_simd::fill(op2_found{0}, &op2_before{0});", i)});
  if (!text.empty()) text.push_back(fmt::format("int op2_index[{}];", width));
  return text;
}

Statements lane_loads(const Args& args) {
  if (extremes_of(args).empty()) return {};
  return {fmt::format("op2_index[op2_lane] = {};", index_of_element(args))};
}

Statements lane_choices(const Args& args, Zeros zeros) {
  Statements text;
  for (const std::size_t i : extremes_of(args)) {
    text.push_back(
        fmt::format("const bool op2_better{} = {};", i,
                    is_better(args[i], {fmt::format("op2_offer{}[0]", i), "op2_index[op2_lane]"},
                              {fmt::format("op2_lanes{}[0][op2_lane]", i),
                               fmt::format("op2_found{}[0][op2_lane]", i)},
                              zeros)));
    text.push_back(
        fmt::format("op2_found{0}[0][op2_lane] = op2_better{0} ? op2_index[op2_lane] : "
                    "op2_found{0}[0][op2_lane];",
                    i));
    std::vector<std::size_t> kept = payloads_of(args, i);
    kept.push_back(i);
    for (const std::size_t k : kept)
      text.push_back(
          fmt::format("op2_simd::choose(op2_better{}, op2_lanes{}, op2_offer{}, "
                      "op2_lane);",
                      i, k, k));
  }
  return text;
}

Statements lane_merges(const Args& args, int width, Zeros zeros) {
  Statements text;
  for (const std::size_t i : extremes_of(args)) {
    text.push_back(fmt::format("for (int op2_lane = 0; op2_lane < {}; ++op2_lane)", width));
    text.push_back(fmt::format("  if ({}) {{",
                               is_better(args[i],
                                         {fmt::format("op2_lanes{}[0][op2_lane]", i),
                                          fmt::format("op2_found{}[0][op2_lane]", i)},
                                         {fmt::format("*op2_global{}", i),
                                          fmt::format("*op2_from{}", payloads_of(args, i).front())},
                                         zeros)));
    text.push_back(fmt::format("    op2_simd::of_lane(op2_global{0}, op2_lanes{0}, op2_lane);", i));
    for (const std::size_t k : payloads_of(args, i))
      text.insert(text.end(),
                  {fmt::format("    op2_simd::of_lane(op2_global{0}, op2_lanes{0}, op2_lane);", k),
                   fmt::format("    *op2_from{} = op2_found{}[0][op2_lane];", k, i)});
    text.emplace_back("  }");
  }
  return text;
}

ReproducibleForm::ReproducibleForm(const std::vector<ArgShape>& args, int width, bool is_on)
    : args_(args), width_(width), is_on_(is_on) {
  if (is_on) slotted_ = slotted_args(args);
}

const SlottedArg* ReproducibleForm::slotted(std::size_t position) const {
  const auto found = std::ranges::find(slotted_, position, &SlottedArg::arg);
  return found == slotted_.end() ? nullptr : &*found;
}

bool ReproducibleForm::is_term(std::size_t i) const {
  return is_on_ && is_global(args_[i]) && args_[i].access == OP_INC &&
         core::is_rounded(args_[i].type);
}

bool ReproducibleForm::is_extreme(std::size_t i) const {
  const bool is_compared = args_[i].access == OP_MIN || args_[i].access == OP_MAX;
  return is_on_ && is_global(args_[i]) && is_compared && !args_[i].in_order &&
         !is_offered(args_, i);
}

std::string ReproducibleForm::own_name(std::size_t position) const {
  const SlottedArg* const shared = slotted(position);
  return fmt::format("op2_own{}", shared != nullptr ? shared->sum : position);
}

std::string ReproducibleForm::preamble() const {
  return is_on_ ? functions : "";
}

std::vector<Parameter> ReproducibleForm::parameters() const {
  std::vector<Parameter> parameters;
  std::set<std::size_t> targets;
  std::set<int> dats;
  for (std::size_t j = 0; j < slotted_.size(); ++j) {
    const ArgShape& arg = args_[slotted_[j].arg];
    const std::string binding = fmt::format("op2_args[{}]", args_.size() + j);
    if (targets.insert(slotted_[j].targets).second)
      parameters.push_back(
          {fmt::format("const op2_slotted* __restrict op2_slotted{}", slotted_[j].targets),
           fmt::format("reinterpret_cast<const op2_slotted*>({}.op2_index)", binding)});
    if (dats.insert(arg.dat).second)
      parameters.push_back({fmt::format("{}* __restrict op2_slots_end{}", type_of(arg), arg.dat),
                            fmt::format("static_cast<{}*>({}.op2_base)", type_of(arg), binding)});
  }
  if (terms().empty()) return parameters;
  parameters.push_back({"long op2_first", "op2_first"});
  if (cuts_terms())
    for (const std::size_t i : terms())
      parameters.push_back(
          {fmt::format("op2_term_cut* __restrict op2_cuts{}", i), block_of(i) + "->op2_cuts"});
  std::ranges::move(term_parameters(), std::back_inserter(parameters));
  return parameters;
}

std::vector<std::size_t> ReproducibleForm::terms() const {
  std::vector<std::size_t> terms;
  for (std::size_t i = 0; i < args_.size(); ++i)
    if (is_term(i)) terms.push_back(i);
  return terms;
}

std::vector<Parameter> ReproducibleForm::term_parameters() const {
  std::vector<Parameter> parameters;
  for (const std::size_t i : terms())
    parameters.push_back({fmt::format("{}* __restrict op2_terms{}", type_of(args_[i]), i),
                          fmt::format("op2_terms{}", i)});
  return parameters;
}

int ReproducibleForm::elements_at_once() const {
  int dims = 0;
  for (const std::size_t i : terms()) dims += args_[i].dim;
  return dims == 0 ? 0 : std::max(width_, most_terms / dims / width_ * width_);
}

Statements ReproducibleForm::term_memory() const {
  return for_all(terms(), [this](std::size_t i) {
    return fmt::format("alignas(64) {} op2_terms{}[{}L * {}];", type_of(args_[i]), i, args_[i].dim,
                       elements_at_once());
  });
}

bool ReproducibleForm::cuts_terms() const {
  const std::vector<std::size_t> all = terms();
  int dims = 0;
  for (const std::size_t i : all) dims += args_[i].dim;
  return width_ > 1 && dims > 0 && dims <= most_cut_components &&
         std::ranges::all_of(all, [&](std::size_t i) { return args_[i].type == Type::f64; });
}

/// How many elements have no terms in memory, an expression; all sums have cut as many.
/// @param block  the block of the first sum, an expression
std::string ReproducibleForm::cut_elements(const std::string& block) const {
  return cuts_terms() ? block + "->op2_cuts->op2_terms" : "0";
}

Statements ReproducibleForm::after_blocks() const {
  if (!cuts_terms()) return {};
  return {fmt::format("op2_first += {};", cut_elements(block_of(terms().front())))};
}

Statements ReproducibleForm::add_terms(const std::string& count) const {
  Statements text = for_all(terms(), [](std::size_t i) {
    return fmt::format("op2_term_block* const op2_block{} = {};", i, block_of(i));
  });
  text.push_back(fmt::format("const long op2_stored = {} - {};", count,
                             cut_elements(fmt::format("op2_block{}", terms().front()))));
  for (const std::size_t i : terms())
    text.push_back(
        fmt::format("op2_block{0}->op2_add(op2_block{0}, op2_terms{0}, {1}, op2_stored);", i,
                    elements_at_once()));
  return text;
}

std::string ReproducibleForm::target(std::size_t i, const std::string& row) const {
  const ArgShape& arg = args_[i];
  const std::string to = fmt::format("op2_target(op2_slotted{}, op2_element, {}, {}, {})",
                                     slotted(i)->targets, arg.arity, arg.column, row);
  return fmt::format("op2_place(op2_dat{0}, op2_slots_end{0}, {1}, {2})", arg.dat, to, arg.dim);
}

std::string ReproducibleForm::any_slots() const {
  std::set<std::string> tests;
  for (const SlottedArg& one : slotted_)
    tests.insert(fmt::format("op2_any_slot(op2_slotted{}, op2_block, {})", one.targets, width_));
  return fmt::format("{}", fmt::join(tests, " | "));
}

Statements ReproducibleForm::for_each(const auto& action) const {
  Statements text;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    const SlottedArg* const shared = slotted(i);
    if (is_own(i) && (shared == nullptr || shared->sum == i)) action(i, text);
  }
  return text;
}

Statements ReproducibleForm::before_element() const {
  return for_each([this](std::size_t i, Statements& text) {
    text.push_back(fmt::format("{} op2_own{}[{}];", type_of(args_[i]), i, args_[i].dim));
    if (is_extreme(i) || is_extreme_of_row(i))
      std::ranges::move(worst_values(i, fmt::format("op2_own{}", i)), std::back_inserter(text));
    else
      text.push_back(fmt::format("op2_from_zero(op2_own{});", i));
  });
}

Statements ReproducibleForm::after_element() const {
  return for_each([this](std::size_t i, Statements& text) {
    if (slotted(i) != nullptr) {
      text.push_back(fmt::format("op2_add({}, op2_own{});", target(i, row_name(args_[i])), i));
    } else if (is_extreme_of_row(i)) {
      text.push_back(join(i, row_address(args_[i], row_name(args_[i])), own_name(i)));
    } else if (is_extreme(i)) {
      const char* const kind = is_local_block(args_[i]) ? "local" : "global";
      text.push_back(join(i, fmt::format("op2_{}{}", kind, i), own_name(i)));
    } else {
      text.push_back(fmt::format(
          "for (int op2_k = 0; op2_k < {0}; ++op2_k) op2_terms{1}[op2_k * {2}L + (op2_element - "
          "op2_first)] = op2_own{1}[op2_k];",
          args_[i].dim, i, elements_at_once()));
    }
  });
}

Statements ReproducibleForm::worst_values(std::size_t i, const std::string& of) const {
  return for_components(args_[i], [&](int k) {
    return fmt::format("{}[{}] = static_cast<{}>({});", of, k, type_of(args_[i]),
                       worst_value(args_[i]));
  });
}

std::string ReproducibleForm::join(std::size_t i, const std::string& to,
                                   const std::string& own) const {
  return fmt::format(
      "for (int op2_k = 0; op2_k < {0}; ++op2_k) ({1})[op2_k] = {2}(({1})[op2_k], {3}[op2_k]);",
      args_[i].dim, to, combine_name(args_[i]), own);
}

Statements ReproducibleForm::compare_in_lane(std::size_t i) const {
  return for_components(args_[i], [&](int k) {
    return fmt::format(
        "op2_lanes{0}[{1}][op2_lane] = {2}(op2_lanes{0}[{1}][op2_lane], op2_arg{0}[{1}]);", i, k,
        combine_name(args_[i]));
  });
}

Statements ReproducibleForm::compare_all(std::size_t i) const {
  return for_components(args_[i], [&](int k) {
    return fmt::format(
        "for (int op2_lane = 0; op2_lane < {0}; ++op2_lane) op2_global{1}[{2}] = "
        "{3}(op2_global{1}[{2}], op2_lanes{1}[{2}][op2_lane]);",
        width_, i, k, combine_name(args_[i]));
  });
}

Statements ReproducibleForm::before_block() const {
  return for_all(terms(), [this](std::size_t i) {
    return fmt::format("{} op2_lanes{}[{}][{}];", type_of(args_[i]), i, args_[i].dim, width_);
  });
}

/// "op2_lanes3[0], op2_lanes3[1]": of each component of each sum.
std::string ReproducibleForm::components(const char* of) const {
  std::vector<std::string> names;
  for (const std::size_t i : terms())
    for (int k = 0; k < args_[i].dim; ++k) names.push_back(fmt::format("{}{}[{}]", of, i, k));
  return fmt::format("{}", fmt::join(names, ", "));
}

Statements ReproducibleForm::store_terms(const char* at) const {
  return for_all(terms(), [&](std::size_t i) {
    return fmt::format(
        "for (int op2_k = 0; op2_k < {0}; ++op2_k) __builtin_memcpy(op2_terms{1} + (op2_k * {2}L + "
        "{3}), op2_lanes{1}[op2_k], sizeof op2_lanes{1}[op2_k]);",
        args_[i].dim, i, elements_at_once(), at);
  });
}

Statements ReproducibleForm::after_block() const {
  if (!cuts_terms()) return store_terms("(op2_block - op2_first)");
  Statements text{"const long op2_kept = op2_cut.kept;",
                  fmt::format("if (!op2_simd::cut(op2_cut, {})) {{", components("op2_lanes"))};
  std::ranges::move(store_terms("op2_kept"), std::back_inserter(text));
  text.emplace_back("}");
  return text;
}

Statements ReproducibleForm::start_cuts() const {
  if (!cuts_terms()) return {};
  return {
      fmt::format("auto op2_cut = op2_simd::start_cuts<{}>({});", width_, components("op2_cuts"))};
}

Statements ReproducibleForm::end_cuts() const {
  if (!cuts_terms()) return {};
  return {
      fmt::format("op2_simd::end_cuts(op2_cut, op2_end - op2_begin, {});", components("op2_cuts"))};
}

}  // namespace op2::jit
