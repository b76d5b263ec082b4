// SPDX-License-Identifier: BSD-3-Clause
#include <core/term_block.hpp>

#include <algorithm>
#include <cstdint>
#include <new>

#include <core/exact_terms.hpp>
#include <core/round_up.hpp>

namespace op2::core {
namespace {

constexpr std::size_t alignment = 64;

/// What is at the beginning of a block; the sums of the components follow, and for each of them the
/// exponent of its last terms.
struct Head {
  TermBlock code;
  Type type;
  std::int32_t dim;
};
static_assert(sizeof(Head) <= alignment);

template <class T>
ExactSum<T>* sums_in(TermBlock* block) {
  return reinterpret_cast<ExactSum<T>*>(reinterpret_cast<std::byte*>(block) + alignment);
}

template <class T>
int* exponents_in(TermBlock* block, int dim) {
  return reinterpret_cast<int*>(sums_in<T>(block) + dim);
}

void add(TermBlock* block, const void* terms, std::int64_t stride, std::int64_t count) noexcept {
  const Head& head = *reinterpret_cast<const Head*>(block);
  with_rounded(head.type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(block);
    int* const exponents = exponents_in<T>(block, head.dim);
    for (int k = 0; k < head.dim; ++k)
      add_terms(
          sums[k],
          std::span(static_cast<const T*>(terms) + k * stride, static_cast<std::size_t>(count)),
          exponents[k]);
  });
}

}  // namespace

std::size_t term_block_bytes(Type type, int dim) {
  const std::size_t sum = type == Type::f64 ? sizeof(ExactSum<double>) : sizeof(ExactSum<float>);
  return round_up(alignment + (sum + sizeof(int)) * static_cast<std::size_t>(dim), alignment);
}

void start_terms(std::byte* block, Type type, int dim) {
  Head* const head = new (block) Head{{add}, type, dim};
  with_rounded(type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(&head->code);
    for (int k = 0; k < dim; ++k) new (&sums[k]) ExactSum<T>();
    std::fill_n(exponents_in<T>(&head->code, dim), dim, 0);
  });
}

template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block) {
  Head& head = *reinterpret_cast<Head*>(block);
  return {sums_in<T>(&head.code), static_cast<std::size_t>(head.dim)};
}

template std::span<ExactSum<float>> sums_of(std::byte*);
template std::span<ExactSum<double>> sums_of(std::byte*);

void merge_terms(std::byte* from, std::byte* into) {
  with_rounded(reinterpret_cast<const Head*>(from)->type, [&]<class T>() {
    const auto more = sums_of<T>(from), sums = sums_of<T>(into);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(more[k]);
  });
}

}  // namespace op2::core
