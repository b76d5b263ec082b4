// SPDX-License-Identifier: BSD-3-Clause
#include <core/term_block.hpp>

#include <cstdint>
#include <new>

#include <core/exact_terms.hpp>
#include <core/round_up.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

/// What is at the beginning of a block; only the library knows the rest of it.
struct Head {
  TermBlock terms;
  Type type;
  std::int32_t dim;
};
static_assert(sizeof(Head) <= TermBlock::first_term);

/// Where the sums are, in bytes.
std::size_t first_sum(Type type, int dim) {
  return TermBlock::first_term + size_of(type, dim) * static_cast<std::size_t>(TermBlock::most);
}

template <class T>
ExactSum<T>* sums_in(Head& head) {
  std::byte* const block = reinterpret_cast<std::byte*>(&head);
  return reinterpret_cast<ExactSum<T>*>(block + first_sum(head.type, head.dim));
}

void take(TermBlock* block) noexcept {
  Head& head = *reinterpret_cast<Head*>(block);
  with_rounded(head.type, [&]<class T>() {
    const auto* terms = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(block) +
                                                   TermBlock::first_term);
    ExactSum<T>* const sums = sums_in<T>(head);
    for (int k = 0; k < head.dim; ++k)
      add_terms(sums[k], std::span(terms + std::ptrdiff_t{k} * TermBlock::most,
                                   static_cast<std::size_t>(block->terms)));
  });
  block->terms = 0;
}

}  // namespace

std::size_t term_block_bytes(Type type, int dim) {
  const std::size_t sum = type == Type::f64 ? sizeof(ExactSum<double>) : sizeof(ExactSum<float>);
  return round_up(first_sum(type, dim) + sum * static_cast<std::size_t>(dim), std::size_t{64});
}

void start_terms(std::byte* block, Type type, int dim) {
  Head& head = *new (block) Head{{0, take}, type, dim};
  with_rounded(type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(head);
    for (int k = 0; k < dim; ++k) new (&sums[k]) ExactSum<T>();
  });
}

template <class T>
std::span<ExactSum<T>> sums_of(std::byte* block) {
  Head& head = *reinterpret_cast<Head*>(block);
  if (head.terms.terms > 0) take(&head.terms);
  return {sums_in<T>(head), static_cast<std::size_t>(head.dim)};
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
