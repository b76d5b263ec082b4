// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/emit_payloads.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/emit_parts.hpp>

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

}  // namespace op2::jit
