// SPDX-License-Identifier: BSD-3-Clause
// Of generated code: between rows in memory and components in vectors.
#pragma once

// `rows` hold the data of `width` elements one after the other, `lanes` each component of all of
// them. All of it is inlined, and what is local ends up in registers.
namespace op2_simd {

template <int... i> struct NumberList {};
template <class, int... i> struct NumberListOf {
  using type = NumberList<i...>;
};
template <int n> using Numbers = typename __make_integer_seq<NumberListOf, int, n>::type;
template <class T, int n> struct VectorOf {
  typedef T type __attribute__((ext_vector_type(n)));
};
template <class T, int n> using LaneVector = typename VectorOf<T, n>::type;

#define OP2_INLINE __attribute__((__always_inline__)) inline
#define OP2_INLINE_LAMBDA __attribute__((__always_inline__))

// Loops that disappear, and one that becomes vector code. Calls take the compiler less time than a
// loop that it unrolls, as long as they are few.
template <class Body, int... k> OP2_INLINE void call(Body body, NumberList<k...>) { (body(k), ...); }
template <int n, class Body> OP2_INLINE void repeat(Body body) {
  if constexpr (n <= 16) {
    call(body, Numbers<n>());
  } else {
#pragma clang loop unroll(full) vectorize(disable)
    for (int k = 0; k < n; ++k) body(k);
  }
}
template <int width, class Body> OP2_INLINE void each(Body body) {
#pragma clang loop unroll(full) vectorize(disable)
  for (int lane = 0; lane < width; ++lane) body(lane);
}
// Unrolled too early, a short body is never vectorised; a loop of two lanes is not recognised
// otherwise.
template <int width, class Body> OP2_INLINE void together(Body body) {
  if constexpr (width > 2) {
#pragma clang loop vectorize(enable) vectorize_width(width) interleave(disable) unroll(disable)
    for (int lane = 0; lane < width; ++lane) body(lane);
  } else {
#pragma clang loop vectorize(enable) vectorize_width(width) interleave(disable)
    for (int lane = 0; lane < width; ++lane) body(lane);
  }
}
// The bytes need not exist.
template <long bytes> OP2_INLINE void prefetch(const void* from) {
#pragma clang loop unroll(full)
  for (long k = 0; k < bytes; k += 64) __builtin_prefetch(static_cast<const char*>(from) + k);
}

// What changes nothing when it is added: of floating point numbers, -0.
template <class T, int n> OP2_INLINE void clear(T (&increment)[n]) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { increment[k] = static_cast<T>(-T{}); });
}
template <class T, int n> OP2_INLINE void load(T (&to)[n], const T* from) {
  __builtin_memcpy(to, from, sizeof to);
}
template <class T, int n> OP2_INLINE void store(T* to, const T (&from)[n]) {
  __builtin_memcpy(to, from, sizeof from);
}
template <class T, int n> OP2_INLINE void add(T* to, const T (&from)[n]) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { to[k] += from[k]; });
}
// Minima and maxima of rows, which another lane may have changed; a number replaces NaN.
template <class T, int n> OP2_INLINE void lower(T* to, const T (&from)[n]) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { to[k] = (from[k] < to[k]) | (to[k] != to[k]) ? from[k] : to[k]; });
}
template <class T, int n> OP2_INLINE void raise(T* to, const T (&from)[n]) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { to[k] = (to[k] < from[k]) | (to[k] != to[k]) ? from[k] : to[k]; });
}
template <class T, int n, int width> OP2_INLINE void take(T (&to)[n], const T (&lanes)[n][width], int lane) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { to[k] = lanes[k][lane]; });
}
template <class T, int n, int width>
OP2_INLINE void give(T (&lanes)[n][width], const T (&from)[n], int lane) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { lanes[k][lane] = from[k]; });
}

// Exchanges, in each pair of vectors, what differs in one bit of the lane's number.
template <int width, int bit, class V, int... l> OP2_INLINE void cross(V& a, V& b, NumberList<l...>) {
  const V first = __builtin_shufflevector(a, b, ((l & bit) != 0 ? width + (l & ~bit) : l)...);
  b = __builtin_shufflevector(a, b, ((l & bit) != 0 ? width + l : (l | bit))...);
  a = first;
}
// Transposes squares of `chunk` x `chunk` that lie side by side; its own inverse.
template <int width, int chunk, int bit = 1, class V> OP2_INLINE void transpose(V (&v)[chunk]) {
  if constexpr (bit < chunk) {
    repeat<chunk>([&](int k) OP2_INLINE_LAMBDA {
      if ((k & bit) == 0) cross<width, bit>(v[k], v[k + bit], Numbers<width>());
    });
    transpose<width, chunk, 2 * bit>(v);
  }
}

#if defined(__ARM_FEATURE_SVE_BITS)
// Long registers of one piece: single instructions separate the elements with even numbers of two
// vectors from the others, and interleave two vectors, but none transposes squares side by side. So
// the rows of a chunk lie one after the other in its vectors, not side by side.
constexpr bool is_one_piece = true;

// Assembly takes registers as types whose length only the processor knows.
typedef __SVInt8_t Register;
typedef __SVFloat32_t RegisterOfFloat;
typedef __SVFloat64_t RegisterOfDouble;
typedef Register Fixed __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
typedef RegisterOfFloat FixedOfFloat __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
typedef RegisterOfDouble FixedOfDouble __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
template <class Register, class Fixed, class V> OP2_INLINE void keep_register(V& v) {
  Fixed fixed;
  __builtin_memcpy(&fixed, &v, sizeof v);
  Register kept = fixed;
  __asm__("" : "+w"(kept));
  fixed = kept;
  __builtin_memcpy(&v, &fixed, sizeof v);
}
template <class T, class V> OP2_INLINE void keep_elements(V& v) {
  if constexpr (__is_same(T, double))
    keep_register<RegisterOfDouble, FixedOfDouble>(v);
  else if constexpr (__is_same(T, float))
    keep_register<RegisterOfFloat, FixedOfFloat>(v);
  else
    keep_register<Register, Fixed>(v);
}
#else
constexpr bool is_one_piece = false;
#endif
template <class V, int... l> OP2_INLINE V evens(V a, V b, NumberList<l...>) {
  return __builtin_shufflevector(a, b, 2 * l...);
}
template <class V, int... l> OP2_INLINE V odds(V a, V b, NumberList<l...>) {
  return __builtin_shufflevector(a, b, 2 * l + 1 ...);
}
template <int first, class V, int... l> OP2_INLINE V mixed(V a, V b, NumberList<l...>) {
  constexpr int width = sizeof...(l);
  return __builtin_shufflevector(a, b, (first + l / 2 + l % 2 * width)...);
}
// From rows one after the other to components.
template <int width, int chunk, class V> OP2_INLINE void separate(V (&v)[chunk]) {
  if constexpr (chunk > 1) {
    V even[chunk / 2], odd[chunk / 2];
    repeat<chunk / 2>([&](int k) OP2_INLINE_LAMBDA {
      even[k] = evens(v[2 * k], v[2 * k + 1], Numbers<width>());
      odd[k] = odds(v[2 * k], v[2 * k + 1], Numbers<width>());
    });
    separate<width, chunk / 2>(even);
    separate<width, chunk / 2>(odd);
    repeat<chunk / 2>([&](int k) OP2_INLINE_LAMBDA {
      v[2 * k] = even[k];
      v[2 * k + 1] = odd[k];
    });
  }
}
// And back.
template <int width, int chunk, class V> OP2_INLINE void interleave(V (&v)[chunk]) {
  if constexpr (chunk > 1) {
    V even[chunk / 2], odd[chunk / 2];
    repeat<chunk / 2>([&](int k) OP2_INLINE_LAMBDA {
      even[k] = v[2 * k];
      odd[k] = v[2 * k + 1];
    });
    interleave<width, chunk / 2>(even);
    interleave<width, chunk / 2>(odd);
    repeat<chunk / 2>([&](int k) OP2_INLINE_LAMBDA {
      v[2 * k] = mixed<0>(even[k], odd[k], Numbers<width>());
      v[2 * k + 1] = mixed<width / 2>(even[k], odd[k], Numbers<width>());
    });
  }
}

// The vector of n lanes made of parts of rows from `row` on: of every chunk-th, or of one after the
// other.
template <int chunk, int n> constexpr int rows_of_half = is_one_piece ? n / 2 / chunk : n / 2;
template <int chunk, int width> constexpr int first_row(int k) {
  return is_one_piece ? width / chunk * k : k;
}
template <class V, int... i> OP2_INLINE auto joined(V a, V b, NumberList<i...>) {
  return __builtin_shufflevector(a, b, i...);
}
template <int chunk, int n, class T, int width, int dim>
OP2_INLINE LaneVector<T, n> collect(const T (&rows)[width][dim], int row, int column) {
  if constexpr (n == chunk) {
    LaneVector<T, n> part;
    __builtin_memcpy(&part, &rows[row][column], sizeof part);
    return part;
  } else {
    return joined(collect<chunk, n / 2>(rows, row, column),
                  collect<chunk, n / 2>(rows, row + rows_of_half<chunk, n>, column), Numbers<n>());
  }
}
template <int first, class V, int... i> OP2_INLINE auto half(V v, NumberList<i...>) {
  return __builtin_shufflevector(v, v, (first + i)...);
}
// Makes the compiler forget where a vector comes from. Else it mixes the last shuffles with what
// follows: rows are then stored in halves, and the next element that loads such a row waits until
// the halves have reached the cache.
template <int size, class V> OP2_INLINE void keep(V& v) {
  if constexpr (sizeof v >= 16) {
#if defined(__AVX512VL__)
    __asm__("" : "+v"(v));
#elif defined(__SSE2__)
    __asm__("" : "+x"(v));
#elif defined(__ARM_FEATURE_SVE_BITS)
    if constexpr (8 * sizeof v == __ARM_FEATURE_SVE_BITS) keep_elements<decltype(+v[0])>(v);
#elif defined(__ARM_NEON)
    if constexpr (sizeof v == 16) {
      __asm__("" : "+w"(v));
    } else {
      auto low = half<0>(v, Numbers<size / 2>()), high = half<size / 2>(v, Numbers<size / 2>());
      keep<size / 2>(low);
      keep<size / 2>(high);
      v = joined(low, high, Numbers<size>());
    }
#endif
  }
}

template <int chunk, int n, class T, int width, int dim>
OP2_INLINE void spread(T (&rows)[width][dim], int row, int column, LaneVector<T, n> v) {
  if constexpr (n == chunk) {
    __builtin_memcpy(&rows[row][column], &v, sizeof v);
  } else {
    spread<chunk, n / 2>(rows, row, column, half<0>(v, Numbers<n / 2>()));
    spread<chunk, n / 2>(rows, row + rows_of_half<chunk, n>, column, half<n / 2>(v, Numbers<n / 2>()));
  }
}

// One component of n rows. Single elements enter only the first 16 bytes of a register of SVE.
template <int n, class T, int width, int dim>
OP2_INLINE LaneVector<T, n> component(const T (&rows)[width][dim], int row, int column) {
  if constexpr (n * sizeof(T) > 16) {
    return joined(component<n / 2>(rows, row, column), component<n / 2>(rows, row + n / 2, column),
                  Numbers<n>());
  } else {
    LaneVector<T, n> v;
    repeat<n>([&](int l) OP2_INLINE_LAMBDA { v[l] = rows[row + l][column]; });
    return v;
  }
}

// Components that are transposed at once.
constexpr int chunk_of(int rest, int width) { return rest >= 4 && width >= 4 ? 4 : rest >= 2 ? 2 : 1; }

template <int first = 0, class T, int width, int dim>
OP2_INLINE void to_lanes(const T (&rows)[width][dim], T (&lanes)[dim][width]) {
  if constexpr (first < dim) {
    constexpr int chunk = chunk_of(dim - first, width);
    if constexpr (chunk == 1 && is_one_piece) {
      const LaneVector<T, width> v = component<width>(rows, 0, first);
      __builtin_memcpy(lanes[first], &v, sizeof v);
    } else if constexpr (chunk == 1) {
      each<width>([&](int l) OP2_INLINE_LAMBDA { lanes[first][l] = rows[l][first]; });
    } else {
      LaneVector<T, width> v[chunk];
      repeat<chunk>([&](int k) OP2_INLINE_LAMBDA {
        v[k] = collect<chunk, width>(rows, first_row<chunk, width>(k), first);
      });
      if constexpr (is_one_piece)
        separate<width>(v);
      else
        transpose<width>(v);
      repeat<chunk>([&](int k) OP2_INLINE_LAMBDA { __builtin_memcpy(lanes[first + k], &v[k], sizeof v[k]); });
    }
    to_lanes<first + chunk>(rows, lanes);
  }
}
template <int first = 0, class T, int width, int dim>
OP2_INLINE void to_rows(const T (&lanes)[dim][width], T (&rows)[width][dim]) {
  if constexpr (first < dim) {
    constexpr int chunk = chunk_of(dim - first, width);
    if constexpr (chunk == 1) {
      each<width>([&](int l) OP2_INLINE_LAMBDA { rows[l][first] = lanes[first][l]; });
    } else {
      LaneVector<T, width> v[chunk];
      repeat<chunk>([&](int k) OP2_INLINE_LAMBDA { __builtin_memcpy(&v[k], lanes[first + k], sizeof v[k]); });
      if constexpr (is_one_piece)
        interleave<width>(v);
      else
        transpose<width>(v);
      repeat<chunk>([&](int k) OP2_INLINE_LAMBDA {
        keep<width>(v[k]);
        spread<chunk, width>(rows, first_row<chunk, width>(k), first, v[k]);
      });
    }
    to_rows<first + chunk>(lanes, rows);
  }
}

// Terms of exact sums: each is cut at two places into integers, which add up without rounding
// (core/exact_sum.hpp), and at a third one if something is left.
template <int width> struct Cut {
  LaneVector<double, width> places[3];
  LaneVector<unsigned long, width> sums[3];
};
// Of all sums of a loop, and how many elements were cut thrice, and not at all.
template <int width, int n> struct Cuts {
  Cut<width> of[n];
  long deep, kept;
};
template <int width, class... At> OP2_INLINE auto start_cuts(const At&... at) {
  const double* const places[] = {at.op2_places...};
  Cuts<width, sizeof...(at)> made{};
  repeat<sizeof...(at)>([&](int n) OP2_INLINE_LAMBDA {
    repeat<3>([&](int k) OP2_INLINE_LAMBDA { made.of[n].places[k] += places[n][k]; });
  });
  return made;
}
template <class V> OP2_INLINE auto bits_of(V v) {
  LaneVector<unsigned long, sizeof(V) / 8> bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
}
// Whether the terms of a block, lanes[width] of each sum, are cut; then nothing of them is left.
template <int width, int n, class... Lanes> OP2_INLINE bool cut(Cuts<width, n>& to, const Lanes&... lanes) {
  constexpr unsigned long magnitude = ~0UL >> 1, exponent = ~0UL << 52;
  const double* const terms[] = {lanes...};
  LaneVector<double, width> rest[n];
  LaneVector<unsigned long, width> high[n], low[n], wrong{}, left{};
  repeat<n>([&](int i) OP2_INLINE_LAMBDA {
    const LaneVector<double, width>* const places = to.of[i].places;
    __builtin_memcpy(&rest[i], terms[i], sizeof rest[i]);
    const LaneVector<double, width> first = rest[i] + places[0];
    high[i] = bits_of(first);
    wrong |= (high[i] ^ bits_of(places[0])) & exponent;
    rest[i] = rest[i] - (first - places[0]);
    const LaneVector<double, width> second = rest[i] + places[1];
    low[i] = bits_of(second);
    const LaneVector<double, width> part = second - places[1];
    left |= (bits_of(part) ^ bits_of(rest[i])) & magnitude;
    rest[i] = rest[i] - part;
  });
  if (__builtin_reduce_or(wrong | left) != 0) {
    LaneVector<unsigned long, width> third[n];
    repeat<n>([&](int i) OP2_INLINE_LAMBDA {
      const LaneVector<double, width> last = rest[i] + to.of[i].places[2];
      third[i] = bits_of(last);
      wrong |= (bits_of(last - to.of[i].places[2]) ^ bits_of(rest[i])) & magnitude;
    });
    if (__builtin_reduce_or(wrong) != 0) {
      to.kept += width;
      return false;
    }
    repeat<n>([&](int i) OP2_INLINE_LAMBDA { to.of[i].sums[2] += third[i]; });
    to.deep += width;
  }
  repeat<n>([&](int i) OP2_INLINE_LAMBDA {
    to.of[i].sums[0] += high[i];
    to.of[i].sums[1] += low[i];
  });
  return true;
}
template <int width, int n, class At, class... More>
OP2_INLINE void end_cuts(const Cuts<width, n>& from, long elements, At& at, More&... more) {
  At* const all[] = {&at, &more...};
  repeat<n>([&](int i) OP2_INLINE_LAMBDA {
    repeat<3>([&](int k)
                  OP2_INLINE_LAMBDA { all[i]->op2_sums[k] = __builtin_reduce_add(from.of[i].sums[k]); });
    all[i]->op2_terms = elements - from.kept;
    all[i]->op2_deep = from.deep;
  });
}

// Reductions: each lane has a separate part; they are combined in the order of the lanes.
template <class T, int dim, int width> OP2_INLINE void fill(T (&lanes)[dim][width], const T* from) {
  for (int k = 0; k < dim; ++k)
    for (int l = 0; l < width; ++l) lanes[k][l] = from[k];
}
template <class T, int dim, int width> OP2_INLINE void sum(T* to, const T (&lanes)[dim][width]) {
  for (int k = 0; k < dim; ++k)
    for (int l = 0; l < width; ++l) to[k] = static_cast<T>(to[k] + lanes[k][l]);
}
template <class T, int dim, int width> OP2_INLINE void least(T* to, const T (&lanes)[dim][width]) {
  for (int k = 0; k < dim; ++k)
    for (int l = 0; l < width; ++l) to[k] = lanes[k][l] < to[k] ? lanes[k][l] : to[k];
}
template <class T, int dim, int width> OP2_INLINE void greatest(T* to, const T (&lanes)[dim][width]) {
  for (int k = 0; k < dim; ++k)
    for (int l = 0; l < width; ++l) to[k] = to[k] < lanes[k][l] ? lanes[k][l] : to[k];
}

// Candidates: values that a lane keeps if they are better, and those of one lane.
template <class T, int n, int width>
OP2_INLINE void choose(bool better, T (&lanes)[n][width], const T (&from)[n], int lane) {
  repeat<n>([&](int k) OP2_INLINE_LAMBDA { lanes[k][lane] = better ? from[k] : lanes[k][lane]; });
}
template <class T, int dim, int width>
OP2_INLINE void of_lane(T* to, const T (&lanes)[dim][width], int lane) {
  for (int k = 0; k < dim; ++k) to[k] = lanes[k][lane];
}

#undef OP2_INLINE
#undef OP2_INLINE_LAMBDA
}  // namespace op2_simd
