// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/reduce_values.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <core/exact_sum.hpp>
#include <core/value_type.hpp>

namespace op2::comm {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

/// An integer with the order of the value.
template <class T>
std::int64_t to_key(T value, Fold fold, Nan nan) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return static_cast<std::int64_t>(value ^ std::uint64_t{1} << 63);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    if (std::isnan(value))
      return (fold == Fold::least) == (nan == Nan::loses) ? Limits::max() : Limits::min();
    const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(value));
    return bits < 0 ? bits ^ Limits::max() : bits;
  }
}

template <class T>
T from_key(std::int64_t key) {
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return static_cast<std::uint64_t>(key) ^ std::uint64_t{1} << 63;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(key);
  else if (const auto value = std::bit_cast<double>(key < 0 ? key ^ Limits::max() : key);
           std::isnan(value))
    return std::numeric_limits<T>::quiet_NaN();
  else
    return static_cast<T>(value);
}

template <class T>
void put_sum(const core::ExactSum<T>& sum, WordReduction& words) {
  const auto summed = sum.to_words();
  words.sums.insert(words.sums.end(), summed.begin(), summed.end());
}

/// Appends the words of a value.
template <class T>
void put_value(T value, const FoldedValues& of, WordReduction& words) {
  if (of.fold == Fold::least) {
    words.minima.push_back(to_key(value, of.fold, of.nan));
  } else if (of.fold == Fold::greatest || std::is_same_v<T, bool>) {
    words.maxima.push_back(to_key(value, of.fold, of.nan));
  } else if constexpr (std::is_floating_point_v<T>) {
    core::ExactSum<T> sum;
    sum.add(value);
    put_sum(sum, words);
  } else {
    words.sums.push_back(static_cast<std::int64_t>(value));
  }
}

/// Reads the words of one value after the other.
struct FoldedWords {
  const WordReduction& words;
  std::size_t sum = 0, minimum = 0, maximum = 0;

  template <class T>
  core::ExactSum<T> exact_sum() {
    constexpr std::size_t count = core::ExactSum<T>::words;
    sum += count;
    return core::ExactSum<T>::from_words(
        std::span<const std::int64_t, count>(&words.sums[sum - count], count));
  }

  template <class T>
  T value(Fold fold) {
    if (fold == Fold::least) return from_key<T>(words.minima[minimum++]);
    if (fold == Fold::greatest || std::is_same_v<T, bool>)
      return from_key<T>(words.maxima[maximum++]);
    if constexpr (std::is_floating_point_v<T>) {
      return exact_sum<T>().rounded();
    } else {
      return static_cast<T>(words.sums[sum++]);
    }
  }
};

std::string description_of(std::span<const FoldedValues> all) {
  constexpr const char* names[] = {"sum", "minimum", "maximum"};
  std::string text = "reducing";
  for (const FoldedValues& reduced : all) {
    text += &reduced == all.data() ? " " : ", ";
    text += std::to_string(reduced.count);
    text += " x ";
    text += core::name_of(reduced.type);
    text += " (";
    text += reduced.exact ? "exact sum" : names[static_cast<int>(reduced.fold)];
    text += ")";
  }
  return text;
}

void put(const FoldedValues& folded_values, WordReduction& words) {
  if (folded_values.exact)
    return core::with_rounded(folded_values.type, [&]<class T>() {
      for (const auto& sum : folded_values.exact_sums<T>()) put_sum(sum, words);
    });
  core::with_type(folded_values.type, [&]<class T>() {
    const T* values = static_cast<const T*>(folded_values.values);
    for (int k = 0; k < folded_values.count; ++k) put_value(values[k], folded_values, words);
  });
}

void take(const FoldedValues& folded_values, FoldedWords& folded) {
  if (folded_values.exact)
    return core::with_rounded(folded_values.type, [&]<class T>() {
      for (auto& sum : folded_values.exact_sums<T>()) sum = folded.template exact_sum<T>();
    });
  core::with_type(folded_values.type, [&]<class T>() {
    T* values = static_cast<T*>(folded_values.values);
    for (int k = 0; k < folded_values.count; ++k)
      values[k] = folded.template value<T>(folded_values.fold);
  });
}

}  // namespace

void reduce_values(Communicator& communicator, std::span<const FoldedValues> all) {
  if (communicator.size() == 1) return;
  WordReduction words;
  for (const FoldedValues& folded_values : all) put(folded_values, words);
  communicator.reduce(words, description_of(all));
  FoldedWords folded{words};
  for (const FoldedValues& folded_values : all) take(folded_values, folded);
}

}  // namespace op2::comm
