// SPDX-License-Identifier: BSD-3-Clause
#include "standard_names.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace op2::embed {
namespace {

using Names = std::span<const std::string_view>;

struct Header {
  const char* name;
  Names contents;
};

constexpr std::array<std::string_view, 26> algorithms{
    "min",         "max",         "minmax",         "clamp",     "copy",    "copy_n",    "fill",
    "fill_n",      "transform",   "for_each",       "find",      "find_if", "count",     "count_if",
    "all_of",      "any_of",      "none_of",        "equal",     "reverse", "iter_swap", "sort",
    "min_element", "max_element", "minmax_element", "is_sorted", "swap"};
constexpr std::array<std::string_view, 10> numerics{
    "accumulate",          "reduce", "inner_product", "transform_reduce", "iota", "partial_sum",
    "adjacent_difference", "gcd",    "lcm",           "midpoint"};
constexpr std::array<std::string_view, 8> utilities{"make_pair", "get",   "move", "forward",
                                                    "exchange",  "begin", "end",  "size"};
constexpr std::array<std::string_view, 6> complex_functions{"real", "imag", "norm",
                                                            "conj", "arg",  "polar"};
constexpr std::array<std::string_view, 6> predicates{"isnan",   "isinf",    "isfinite",
                                                     "signbit", "isnormal", "fpclassify"};
constexpr std::array<std::string_view, 5> memory{"memcpy", "memmove", "memset", "memcmp", "strlen"};
constexpr std::array<std::string_view, 2> output{"printf", "puts"};

constexpr std::array templates{Header{"algorithm", algorithms}, Header{"numeric", numerics},
                               Header{"utility", utilities}, Header{"complex", complex_functions}};
constexpr std::array c_functions{Header{"cmath", predicates}, Header{"cstring", memory},
                                 Header{"cstdio", output}};

constexpr std::array<std::string_view, 1> limits{"numeric_limits"}, lists{"initializer_list"},
    pairs{"pair"}, arrays{"array"}, complex_numbers{"complex"};
constexpr std::array<std::string_view, 5> operations{"plus", "minus", "multiplies", "less",
                                                     "greater"};

constexpr std::array classes{Header{"limits", limits},           Header{"initializer_list", lists},
                             Header{"utility", pairs},           Header{"array", arrays},
                             Header{"complex", complex_numbers}, Header{"functional", operations}};

const char* header_of(std::span<const Header> headers, std::string_view name) {
  for (const Header& header : headers)
    if (std::ranges::find(header.contents, name) != header.contents.end()) return header.name;
  return nullptr;
}

}  // namespace

const char* header_of_template(std::string_view name) {
  return header_of(templates, name);
}

const char* header_of_c_function(std::string_view name) {
  return header_of(c_functions, name);
}

const char* header_of_class(std::string_view name) {
  return header_of(classes, name);
}

}  // namespace op2::embed
