// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose access modes promise more, or less, than they do: OP_WRITE that leaves or uses old
// values, OP_RW that only adds, and what resembles these but is something else. The library finds
// out from their sources; their results are those of calling them one by one.
#pragma once

#include <equivalence/kernels.hpp>

namespace op2::test {

/// OP_WRITE. All but `either` depend on the values before.
#define OP2_TEST_KEEPING_KERNELS(T)                                                     \
  OP_KERNEL(either_##T, (const T* a, T* b), {                                           \
    if (OP2_TEST_LONG(*a) % 2 == 0)                                                     \
      *b = OP2_TEST_HASH(T, *a, 20);                                                    \
    else                                                                                \
      *b = OP2_TEST_HASH(T, *a, 21);                                                    \
  });                                                                                   \
  OP_KERNEL(sometimes_##T, (const T* a, T* b), {                                        \
    if (OP2_TEST_LONG(*a) % 2 == 0) *b = OP2_TEST_HASH(T, *a, 22);                      \
  });                                                                                   \
  OP_KERNEL(revise_##T, (const T* a, T* b),                                             \
            { *b = OP2_TEST_HASH(T, OP2_TEST_LONG(*a) + 3 * OP2_TEST_LONG(*b), 24); }); \
  OP_KERNEL(corners_##T, (const T* a, T* b), {                                          \
    for (int n = 0; n < 3; n += 2) b[n] = OP2_TEST_HASH(T, a[2 - n], 25 + n);           \
  });                                                                                   \
  OP_KERNEL(sometimes_mark_##T, (const int* i, const T* a, T* b), {                     \
    if (OP2_TEST_LONG(*a) % 2 == 0) *b = OP2_TEST_HASH(T, *i, 28);                      \
  })

/// OP_RW that only adds.
#define OP2_TEST_ADDING_KERNELS(T)                                  \
  OP_KERNEL(add_to_##T, (const T* w, T* a, T* b), {                 \
    *a += OP2_TEST_HASH(T, *w, 30);                                 \
    *b = OP2_TEST_HASH(T, *w, 31) + *b;                             \
  });                                                               \
  OP_KERNEL(add_wide_##T, (const T* w, T* a, T* b), {               \
    for (int n = 0; n < 3; ++n) {                                   \
      a[n] += OP2_TEST_HASH(T, w[n], 32 + n);                       \
      if (OP2_TEST_LONG(w[n]) % 2 == 0) b[2 - n] = b[2 - n] + w[n]; \
    }                                                               \
  })

/// OP_RW that does more than add.
#define OP2_TEST_NEARLY_ADDING_KERNELS(T)                                               \
  OP_KERNEL(twice_##T, (const T* w, T* a),                                              \
            { *a = OP2_TEST_HASH(T, 2 * OP2_TEST_LONG(*a) + OP2_TEST_LONG(*w), 35); }); \
  OP_KERNEL(doubled_##T, (const T* w, T* a),                                            \
            { *a = (T)((2 * OP2_TEST_LONG(*a) + OP2_TEST_LONG(*w)) % 97); });           \
  OP_KERNEL(read_again_##T, (const T* w, T* a), {                                       \
    *a += OP2_TEST_HASH(T, *w, 36);                                                     \
    if (OP2_TEST_LONG(*a) % 2 == 0) *a += 1;                                            \
  });                                                                                   \
  OP_KERNEL(add_if_even_##T, (const T* w, T* a), {                                      \
    if (OP2_TEST_LONG(*a) % 2 == 0) *a += OP2_TEST_HASH(T, *w, 37);                     \
  });                                                                                   \
  OP_KERNEL(add_what_is_there_##T, (const T* w, T* a), {                                \
    const T old = *a;                                                                   \
    *a += OP2_TEST_HASH(T, *w, 38);                                                     \
    *a += (T)(OP2_TEST_LONG(old) % 3);                                                  \
  });                                                                                   \
  OP_KERNEL(keep_sum_##T, (const T* w, T* a), {                                         \
    const T sum = *a = *a + OP2_TEST_HASH(T, *w, 40);                                   \
    if (OP2_TEST_LONG(sum) % 2 == 0) *a += 1;                                           \
  });                                                                                   \
  OP_KERNEL(set_then_add_##T, (const T* w, T* a), {                                     \
    if (OP2_TEST_LONG(*w) % 3 == 0) *a = 0;                                             \
    *a += OP2_TEST_HASH(T, *w, 39);                                                     \
  })

/// OP_RW that does more than take a minimum.
#define OP2_TEST_NEARLY_LOWERING_KERNELS(T)                                  \
  OP_KERNEL(lower_or_set_##T, (const T* w, T* a), {                          \
    const T v = OP2_TEST_HASH(T, *w, 60);                                    \
    if (v < *a)                                                              \
      *a = v;                                                                \
    else                                                                     \
      *a = OP2_TEST_HASH(T, 2 * OP2_TEST_LONG(*a) + 3, 61);                  \
  });                                                                        \
  OP_KERNEL(take_another_##T, (const T* w, T* a), {                          \
    if (OP2_TEST_HASH(T, *w, 62) < *a) *a = OP2_TEST_HASH(T, *w, 63);        \
  });                                                                        \
  OP_KERNEL(keep_minimum_##T, (const T* w, T* a), {                          \
    const T v = OP2_TEST_HASH(T, *w, 64);                                    \
    const T kept = *a = std::min(*a, v);                                     \
    *a = OP2_TEST_HASH(T, OP2_TEST_LONG(kept) + OP2_TEST_LONG(*w), 65);      \
  });                                                                        \
  OP_KERNEL(clamp_##T, (const T* w, T* a), {                                 \
    const T v = OP2_TEST_HASH(T, *w, 66);                                    \
    const T u = OP2_TEST_HASH(T, *w, 67);                                    \
    *a = std::min(*a, v);                                                    \
    *a = std::max(*a, u);                                                    \
  });                                                                        \
  OP_KERNEL(lower_by_itself_##T, (const T* w, T* a), {                       \
    const T v = OP2_TEST_HASH(T, OP2_TEST_LONG(*a) + OP2_TEST_LONG(*w), 68); \
    *a = v < *a ? v : *a;                                                    \
  });                                                                        \
  OP_KERNEL(raise_through_reference_##T, (const T* w, T* a), {               \
    T& value = *a;                                                           \
    T& again = value = std::max(value, *w);                                  \
    again = OP2_TEST_HASH(T, OP2_TEST_LONG(again) + 1, 69);                  \
  })

OP2_TEST_NEARLY_LOWERING_KERNELS(double);
OP2_TEST_NEARLY_LOWERING_KERNELS(int);
OP2_TEST_KEEPING_KERNELS(double);
OP2_TEST_KEEPING_KERNELS(int);
OP2_TEST_KEEPING_KERNELS(bool);
OP2_TEST_ADDING_KERNELS(double);
OP2_TEST_ADDING_KERNELS(int);
OP2_TEST_NEARLY_ADDING_KERNELS(double);
OP2_TEST_NEARLY_ADDING_KERNELS(int);
/// Each sum is rounded to an integer, so what is added depends on what is there.
OP_KERNEL(subtract_rounded, (const int* w, int* a), { *a = (int)(*a - (*w % 2 == 0 ? 1.5 : 0)); });

#define OP2_TEST_LIST_KEEPING(T)                                                           \
  {Shape::either, type_of<T>(), either_##T}, {Shape::either, type_of<T>(), sometimes_##T}, \
      {Shape::either, type_of<T>(), revise_##T}, {Shape::copy, type_of<T>(), corners_##T}, \
      {Shape::revise_mark, type_of<T>(), revise_##T}, {                                    \
    Shape::sometimes_mark, type_of<T>(), sometimes_mark_##T                                \
  }
#define OP2_TEST_LIST_ADDING(T)                                                         \
  {Shape::add_to, type_of<T>(), add_to_##T}, {Shape::add_to, type_of<T>(), add_to_##T}, \
      {Shape::add_wide, type_of<T>(), add_wide_##T}, {                                  \
    Shape::add_neighbour, type_of<T>(), neighbour_##T                                   \
  }
#define OP2_TEST_LIST_NEARLY_ADDING(T)                                                          \
  {Shape::nearly_add, type_of<T>(), twice_##T}, {Shape::nearly_add, type_of<T>(), doubled_##T}, \
      {Shape::nearly_add, type_of<T>(), read_again_##T},                                        \
      {Shape::nearly_add, type_of<T>(), add_if_even_##T},                                       \
      {Shape::nearly_add, type_of<T>(), keep_sum_##T},                                          \
      {Shape::nearly_add, type_of<T>(), add_what_is_there_##T}, {                               \
    Shape::nearly_add, type_of<T>(), set_then_add_##T                                           \
  }

#define OP2_TEST_LIST_NEARLY_LOWERING(T)                         \
  {Shape::nearly_add, type_of<T>(), lower_or_set_##T},           \
      {Shape::nearly_add, type_of<T>(), take_another_##T},       \
      {Shape::nearly_add, type_of<T>(), keep_minimum_##T},       \
      {Shape::nearly_add, type_of<T>(), clamp_##T},              \
      {Shape::nearly_add, type_of<T>(), lower_by_itself_##T}, {  \
    Shape::nearly_add, type_of<T>(), raise_through_reference_##T \
  }

static const TestKernel kernels_with_facts[] = {OP2_TEST_LIST_KEEPING(double),
                                                OP2_TEST_LIST_KEEPING(int),
                                                OP2_TEST_LIST_KEEPING(bool),
                                                OP2_TEST_LIST_ADDING(double),
                                                OP2_TEST_LIST_ADDING(int),
                                                OP2_TEST_LIST_NEARLY_ADDING(double),
                                                OP2_TEST_LIST_NEARLY_ADDING(int),
                                                OP2_TEST_LIST_NEARLY_LOWERING(double),
                                                OP2_TEST_LIST_NEARLY_LOWERING(int),
                                                {Shape::nearly_add, Type::i32, subtract_rounded},
                                                {Shape::nearly_add, Type::i32, subtract_rounded}};

}  // namespace op2::test
