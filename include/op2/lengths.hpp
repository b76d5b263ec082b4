// SPDX-License-Identifier: BSD-3-Clause
// Arrays that know their length: functions that take a pointer also take std::vector, std::array,
// std::span and similar containers instead, and check that they hold exactly what is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>  // and the concepts of ranges, without the costly rest of <ranges>
#include <type_traits>

#include <op2/types.hpp>

namespace op2 {

/// Contiguous values of a known number; not a view with gaps, such as a row of a matrix that is
/// stored by columns. Built-in arrays are pointers here, as everywhere in C++: give
/// std::span(array).
template <class C>
concept SizedArray =
    !std::is_array_v<std::remove_reference_t<C>> && std::ranges::contiguous_range<C> &&
    std::ranges::sized_range<C> && Value<std::ranges::range_value_t<C>>;

/// The same, of indices.
template <class C>
concept IndexArray = SizedArray<C> &&(type_of<std::ranges::range_value_t<C>>() == Type::i32);

/// The same, whose values outlive the expression: a variable, or a span of one.
template <class C>
concept LastingArray = SizedArray<C> && std::ranges::borrowed_range<C>;

/// The same, of values that can be assigned.
template <class C>
concept WritableArray =
    LastingArray<C> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<C>>>;

namespace detail {

/// Where the values of a container are, and how many.
struct Given {
  const void* values;
  std::size_t count;
};
template <SizedArray C>
Given given(C& values) {
  return {std::data(values), static_cast<std::size_t>(std::size(values))};
}

// Throw bad_size if there are more or fewer values than needed, and null_data if there are none at
// the address null. `kind` and `name` of what the values belong to are for messages. Those with a
// set or a dat are collective: an error of one rank is thrown on all.
OP2_API void check_length(const char* function, const char* kind, op_set set, int dim,
                          const char* name, Given given);
OP2_API void check_length(const char* function, op_dat dat, Given given);
OP2_API void check_length(const char* function, op_dat dat, std::int64_t low, std::int64_t high,
                          Given given);
OP2_API void check_length(const char* function, op_global global, Given given);
OP2_API void check_length(const char* function, const char* kind, const char* name, int dim,
                          Given given);

}  // namespace detail
}  // namespace op2
