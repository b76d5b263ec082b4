// SPDX-License-Identifier: BSD-3-Clause
// Arrays that know their length: functions that take a pointer also take std::vector, std::array,
// std::span and similar containers instead, and check that they hold exactly what is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
concept IndexArray = SizedArray<C> && (type_of<std::ranges::range_value_t<C>>() == Type::i32);

/// The same, whose values outlive the expression: a variable, or a span of one.
template <class C>
concept LastingArray = SizedArray<C> && std::ranges::borrowed_range<C>;

/// The same, of values that can be assigned.
template <class C>
concept WritableArray =
    LastingArray<C> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<C>>>;

/// A pointer to values, or a built-in array of them.
template <class P>
concept ValuePointer = std::is_pointer_v<std::decay_t<P>> &&
                       Value<std::remove_const_t<std::remove_pointer_t<std::decay_t<P>>>>;

/// A value in braces. Forms with `None` are not for calls that name the type, such as
/// op_decl_dat<double>(...).
template <class T, class... None>
concept ListedValue = sizeof...(None) == 0 && Value<T>;

/// Neither a pointer to values nor a container of them. Functions that take values have a form for
/// these too, in which the compiler says what to pass.
template <class C, class... None>
concept NoValues = sizeof...(None) == 0 && !SizedArray<C> && !ValuePointer<C>;

/// The same of indices.
template <class C>
concept NoIndices = !IndexArray<C> && (std::is_class_v<C> || std::is_pointer_v<std::decay_t<C>>) &&
                    !std::is_convertible_v<const C&, const int*>;

/// The same of values that can be assigned.
template <class C>
concept NoResults = !WritableArray<C> &&
                    (!ValuePointer<C> || std::is_const_v<std::remove_pointer_t<std::decay_t<C>>>);

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

template <class C>
constexpr void refuse_values() {
  constexpr bool is_null = std::is_null_pointer_v<std::remove_cvref_t<C>>;
  static_assert(!is_null,
                "op2: nullptr has no type: for zeros name it, as in "
                "op_decl_dat<double>(set, dim, nullptr, name)");
  static_assert(is_null,
                "op2: values must be a pointer, or a std::vector, std::array, std::span or list in "
                "braces, to or of double, float, bool or 32- or 64-bit integers (a std::list is "
                "not an array, and a std::vector<bool> stores bits: copy the values to an array)");
}
template <class C>
constexpr void refuse_indices() {
  static_assert(!std::is_same_v<C, C>,
                "op2: the values of a map must be int: a pointer, or a std::vector, std::array, "
                "std::span or list in braces");
}
template <class C>
constexpr void refuse_results() {
  static_assert(!std::is_same_v<C, C>,
                "op2: results are copied to a pointer, or to a variable that is a std::vector, "
                "std::array or std::span, to or of double, float, bool or 32- or 64-bit integers: "
                "not to constants, a temporary, a std::list or a std::vector<bool>");
}

template <class C>
constexpr void refuse_leading_name() {
  static_assert(!std::is_same_v<C, C>,
                "op2: the name of a constant comes last, as in op_decl_const(dim, values, name)");
}

}  // namespace detail
}  // namespace op2
