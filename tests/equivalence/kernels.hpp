// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose results are exact: they compute with small integers, whatever the type, so that
// sums do not depend on their order and one missing, extra or doubled iteration changes the result.
#pragma once

#include <algorithm>

#include <equivalence/hash.hpp>
#include <op2/op2.hpp>

namespace op2::test {

/// Where the dats of a loop lie: on the set it runs over, or behind a map of it.
enum class Shape {
  index_write,     ///< (index, WRITE)
  copy,            ///< (READ, WRITE) of dim 3
  read_write,      ///< (READ, RW)
  use_up,          ///< (RW, RW): leaves zero in the first
  direct_inc,      ///< (READ, INC), reads what it has added to
  gather,          ///< (READ 0, READ 1, WRITE)
  scatter,         ///< (READ, INC 0, INC 1)
  number,          ///< (index, INC 0, INC 1)
  flux,            ///< (READ 0, READ 1, INC 0, INC 1)
  scatter_wide,    ///< (READ, INC 0, INC 1) of dim 3
  reduce,          ///< (READ, sum, minimum, maximum)
  one_to_one,      ///< (READ, RW through an injective map)
  one_to_one_set,  ///< the same, and a global that some elements set
  mark,            ///< (target index, WRITE through a map that many elements share)
  scale,           ///< (global READ of dim 2, RW)
  optional,        ///< (flag, optional READ, RW)
  neighbour,       ///< (READ 0, INC 1) of one dat: depends on the order
  weigh,           ///< (lazy global READ, RW), double only
  shift,           ///< (RW) with the declared constant `test_shift`
  tally,           ///< (READ 0, READ 1, INC 0, INC 1, lazy sum), double only
  tally_own,       ///< (RW, lazy sum), double only
  either,          ///< (READ, WRITE)
  revise_mark,     ///< (READ, WRITE through an injective map)
  sometimes_mark,  ///< (target index, READ, WRITE through a map that many elements share)
  add_to,          ///< (READ, RW 0, RW 1 or INC 1)
  add_wide,        ///< (READ, RW 0, RW 1) of dim 3
  add_neighbour,   ///< (READ 0, RW 1) of one dat: depends on the order
  nearly_add,      ///< (READ, RW): depends on the order, unless the map is injective
  widen,           ///< (READ, MIN or RW 0, MAX or RW 1) of two dats
  lower_wide,      ///< (READ, MIN or RW 0, MIN or RW 1) of dim 3
  raise_own        ///< (READ, MAX)
};

struct TestKernel {
  Shape shape;
  op2::Type type;
  op_kernel kernel;
};

/// Declared under this name, and changed between chains.
inline double test_shift = 1;

#define OP2_TEST_DIRECT_KERNELS(T)                                                                 \
  OP_KERNEL(index_write_##T, (const int* i, T* a), { *a = OP2_TEST_HASH(T, *i, 3); });             \
  OP_KERNEL(copy_##T, (const T* a, T* b), {                                                        \
    for (int n = 0; n < 3; ++n) b[n] = OP2_TEST_HASH(T, a[2 - n], 5 + n);                          \
  });                                                                                              \
  OP_KERNEL(read_write_##T, (const T* a, T* b),                                                    \
            { *b = OP2_TEST_HASH(T, OP2_TEST_LONG(*a) + 2 * OP2_TEST_LONG(*b), 7); });             \
  OP_KERNEL(use_up_##T, (T * a, T * b), {                                                          \
    *b = OP2_TEST_HASH(T, 3 * OP2_TEST_LONG(*a) + OP2_TEST_LONG(*b), 21);                          \
    *a = 0;                                                                                        \
  });                                                                                              \
  OP_KERNEL(gather_##T, (const T* a, const T* b, T* c),                                            \
            { *c = OP2_TEST_HASH(T, OP2_TEST_LONG(*a) + 3 * OP2_TEST_LONG(*b), 11); });            \
  OP_KERNEL(one_to_one_##T, (const T* a, T* b),                                                    \
            { *b = OP2_TEST_HASH(T, 5 * OP2_TEST_LONG(*a) + OP2_TEST_LONG(*b), 13); });            \
  OP_KERNEL(mark_##T, (const int* i, T* a), { *a = OP2_TEST_HASH(T, *i, 17); });                   \
  OP_KERNEL(scale_##T, (const T* g, T* a), {                                                       \
    *a = OP2_TEST_HASH(T, OP2_TEST_LONG(g[0]) * OP2_TEST_LONG(*a) + OP2_TEST_LONG(g[1]), 19);      \
  });                                                                                              \
  OP_KERNEL(optional_##T, (const int* on, const T* a, T* b), {                                     \
    *b =                                                                                           \
        OP2_TEST_HASH(T, *on ? OP2_TEST_LONG(*a) + OP2_TEST_LONG(*b) : 2 * OP2_TEST_LONG(*b), 23); \
  })

#define OP2_TEST_SUM_KERNELS(T)                                                      \
  OP_KERNEL(direct_inc_##T, (const T* a, T* b), {                                    \
    *b += OP2_TEST_HASH(T, *a, 1);                                                   \
    if (OP2_TEST_LONG(*b) % 2 == 0) *b += 1;                                         \
  });                                                                                \
  OP_KERNEL(scatter_##T, (const T* w, T* a, T* b), {                                 \
    *a += OP2_TEST_HASH(T, *w, 2);                                                   \
    *b += OP2_TEST_HASH(T, *w, 9);                                                   \
  });                                                                                \
  OP_KERNEL(number_##T, (const int* i, T* a, T* b), {                                \
    *a += OP2_TEST_HASH(T, *i, 22);                                                  \
    *b += OP2_TEST_HASH(T, *i, 24);                                                  \
  });                                                                                \
  OP_KERNEL(flux_##T, (const T* a, const T* b, T* ra, T* rb), {                      \
    const T f = OP2_TEST_HASH(T, OP2_TEST_LONG(*a) + 2 * OP2_TEST_LONG(*b), 4);      \
    *ra += f;                                                                        \
    *rb += (T)(OP2_TEST_MODULUS - f);                                                \
  });                                                                                \
  OP_KERNEL(scatter_wide_##T, (const T* w, T* a, T* b), {                            \
    for (int n = 0; n < 3; ++n) {                                                    \
      a[n] += OP2_TEST_HASH(T, w[n], n);                                             \
      b[2 - n] += OP2_TEST_HASH(T, w[n], 6 + n);                                     \
    }                                                                                \
  });                                                                                \
  OP_KERNEL(neighbour_##T, (const T* a, T* b), { *b += OP2_TEST_HASH(T, *a, 12); }); \
  OP_KERNEL(reduce_##T, (const T* a, T* sum, T* low, T* high), {                     \
    *sum += OP2_TEST_HASH(T, *a, 8);                                                 \
    if (*a < *low) *low = *a;                                                        \
    if (*a > *high) *high = *a;                                                      \
  })

#define OP2_TEST_EXTREME_KERNELS(T)                                             \
  OP_KERNEL(widen_##T, (const T* w, T* a, T* b), {                              \
    const T v = OP2_TEST_HASH(T, *w, 50);                                       \
    if (v < *a) *a = v;                                                         \
    *b = *b < v ? v : *b;                                                       \
  });                                                                           \
  OP_KERNEL(lower_wide_##T, (const T* w, T* a, T* b), {                         \
    for (int n = 0; n < 3; ++n) {                                               \
      const T v = OP2_TEST_HASH(T, w[n], 51 + n);                               \
      a[n] = std::min(a[n], v);                                                 \
      if (OP2_TEST_LONG(w[n]) % 2 == 0) b[2 - n] = v < b[2 - n] ? v : b[2 - n]; \
    }                                                                           \
  });                                                                           \
  OP_KERNEL(raise_own_##T, (const T* w, T* a), { *a = std::max(*w, *a); })

OP2_TEST_EXTREME_KERNELS(double);
OP2_TEST_EXTREME_KERNELS(float);
OP2_TEST_EXTREME_KERNELS(int);
OP2_TEST_EXTREME_KERNELS(unsigned);
OP2_TEST_EXTREME_KERNELS(long);
OP2_TEST_DIRECT_KERNELS(double);
OP2_TEST_DIRECT_KERNELS(float);
OP2_TEST_DIRECT_KERNELS(int);
OP2_TEST_DIRECT_KERNELS(unsigned);
OP2_TEST_DIRECT_KERNELS(long);
OP2_TEST_DIRECT_KERNELS(bool);
OP2_TEST_SUM_KERNELS(double);
OP2_TEST_SUM_KERNELS(float);
OP2_TEST_SUM_KERNELS(int);
OP2_TEST_SUM_KERNELS(unsigned);
OP2_TEST_SUM_KERNELS(long);

OP_KERNEL(weigh, (const double* g, double* a),
          { *a = OP2_TEST_HASH(double, OP2_TEST_LONG(*g) + OP2_TEST_LONG(*a), 14); });
OP_KERNEL(shift, (double* a),
          { *a = OP2_TEST_HASH(double, OP2_TEST_LONG(*a) + OP2_TEST_LONG(test_shift), 15); });

OP_KERNEL(one_to_one_set, (const double* a, double* b, int* seen), {
  *b = OP2_TEST_HASH(double, 5 * OP2_TEST_LONG(*a) + OP2_TEST_LONG(*b), 23);
  if (OP2_TEST_LONG(*a) % 7 == 0) *seen = (int)OP2_TEST_LONG(*a);
});
OP_KERNEL(tally, (const double* a, const double* b, double* ra, double* rb, double* sum), {
  const double f = OP2_TEST_HASH(double, OP2_TEST_LONG(*a) + 2 * OP2_TEST_LONG(*b), 16);
  *ra += f;
  *rb += OP2_TEST_MODULUS - f;
  *sum += f;
});
OP_KERNEL(tally_own, (double* a, double* sum), {
  *a = OP2_TEST_HASH(double, *a, 18);
  *sum += *a;
});

#define OP2_TEST_LIST_DIRECT(T)                                                                 \
  {Shape::index_write, type_of<T>(), index_write_##T}, {Shape::copy, type_of<T>(), copy_##T},   \
      {Shape::read_write, type_of<T>(), read_write_##T},                                        \
      {Shape::use_up, type_of<T>(), use_up_##T}, {Shape::gather, type_of<T>(), gather_##T},     \
      {Shape::one_to_one, type_of<T>(), one_to_one_##T}, {Shape::mark, type_of<T>(), mark_##T}, \
      {Shape::scale, type_of<T>(), scale_##T}, {                                                \
    Shape::optional, type_of<T>(), optional_##T                                                 \
  }
#define OP2_TEST_LIST_SUM(T)                                                                      \
  {Shape::direct_inc, type_of<T>(), direct_inc_##T}, {Shape::scatter, type_of<T>(), scatter_##T}, \
      {Shape::number, type_of<T>(), number_##T}, {Shape::flux, type_of<T>(), flux_##T},           \
      {Shape::scatter_wide, type_of<T>(), scatter_wide_##T},                                      \
      {Shape::neighbour, type_of<T>(), neighbour_##T}, {                                          \
    Shape::reduce, type_of<T>(), reduce_##T                                                       \
  }

#define OP2_TEST_LIST_EXTREME(T)                                                                \
  {Shape::widen, type_of<T>(), widen_##T}, {Shape::lower_wide, type_of<T>(), lower_wide_##T}, { \
    Shape::raise_own, type_of<T>(), raise_own_##T                                               \
  }

static const TestKernel test_kernels[] = {{Shape::weigh, Type::f64, weigh},
                                          {Shape::shift, Type::f64, shift},
                                          {Shape::weigh, Type::f64, weigh},
                                          {Shape::shift, Type::f64, shift},
                                          {Shape::one_to_one_set, Type::f64, one_to_one_set},
                                          {Shape::tally, Type::f64, tally},
                                          {Shape::tally_own, Type::f64, tally_own},
                                          {Shape::tally, Type::f64, tally},
                                          {Shape::tally_own, Type::f64, tally_own},
                                          OP2_TEST_LIST_DIRECT(double),
                                          OP2_TEST_LIST_DIRECT(float),
                                          OP2_TEST_LIST_DIRECT(int),
                                          OP2_TEST_LIST_DIRECT(unsigned),
                                          OP2_TEST_LIST_DIRECT(long),
                                          OP2_TEST_LIST_DIRECT(bool),
                                          OP2_TEST_LIST_SUM(double),
                                          OP2_TEST_LIST_SUM(float),
                                          OP2_TEST_LIST_SUM(int),
                                          OP2_TEST_LIST_SUM(unsigned),
                                          OP2_TEST_LIST_SUM(long),
                                          OP2_TEST_LIST_EXTREME(double),
                                          OP2_TEST_LIST_EXTREME(float),
                                          OP2_TEST_LIST_EXTREME(int),
                                          OP2_TEST_LIST_EXTREME(unsigned),
                                          OP2_TEST_LIST_EXTREME(long)};

}  // namespace op2::test
