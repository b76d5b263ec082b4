// SPDX-License-Identifier: BSD-3-Clause
// Utilities for arrays and memory that OP2's headers provide. Local. `first` and `last` are
// indices, inclusive.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

#include "op_lib_core.h"

namespace op2 {
namespace compat {

/// Allocation that throws std::bad_alloc instead of returning null; freed with `free`.
inline void* checked(void* memory, std::size_t bytes) {
  if (memory == NULL && bytes > 0) throw std::bad_alloc();
  return memory;
}
inline void* xmalloc(std::size_t bytes) {
  return checked(std::malloc(bytes), bytes);
}
inline void* xcalloc(std::size_t count, std::size_t bytes) {
  return checked(std::calloc(count, bytes), count * bytes);
}
inline void* xrealloc(void* memory, std::size_t bytes) {
  return checked(std::realloc(memory, bytes), bytes);
}

/// 1 if the file can be read.
inline int file_exist(const char* path) {
  return std::ifstream(path).good() ? 1 : 0;
}

/// Size of the block of `rank` if `size` elements are in equal blocks; the first ranks have one
/// more.
inline int compute_local_size(int size, int ranks, int rank) {
  return size / ranks + (rank < size % ranks ? 1 : 0);
}

/// Index of `value` in `array`, or -1.
inline int linear_search(const int* array, int value, int first, int last) {
  const int* const end = array + last + 1;
  const int* const found = std::find(array + first, end, value);
  return found == end ? -1 : static_cast<int>(found - array);
}
/// The same in a sorted array.
inline int binary_search(const int* array, int value, int first, int last) {
  const int* const end = array + last + 1;
  const int* const found = std::lower_bound(array + first, end, value);
  return found == end || *found != value ? -1 : static_cast<int>(found - array);
}

/// Sorts the values at `first` .. `last` of `array` (quickSort), or its `count` values (op_sort).
inline void quickSort(int* array, int first, int last) {
  if (first < last) std::sort(array + first, array + last + 1);
}
template <class T>
void op_sort(T* array, int count) {
  std::sort(array, array + count);
}
/// Sorts the first array, stably, and permutes the second one alike. Both of shape [count].
inline void op_sort_2(int* array, int* other, int count) {
  std::vector<std::pair<int, int>> pairs;
  for (int k = 0; k < count; ++k) pairs.push_back(std::make_pair(array[k], other[k]));
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const std::pair<int, int>& a, const std::pair<int, int>& b) { return a.first < b.first; });
  for (int k = 0; k < count; ++k) {
    array[k] = pairs[static_cast<std::size_t>(k)].first;
    other[k] = pairs[static_cast<std::size_t>(k)].second;
  }
}
/// Removes duplicates from a sorted array.
/// @return the number of remaining elements
inline int removeDups(int* array, int count) {
  return static_cast<int>(std::unique(array, array + count) - array);
}

}  // namespace compat
}  // namespace op2

using op2::compat::binary_search;
using op2::compat::compute_local_size;
using op2::compat::file_exist;
using op2::compat::linear_search;
using op2::compat::op_sort;
using op2::compat::op_sort_2;
using op2::compat::quickSort;
using op2::compat::removeDups;
using op2::compat::xcalloc;
using op2::compat::xmalloc;
using op2::compat::xrealloc;
