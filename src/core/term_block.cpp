// SPDX-License-Identifier: BSD-3-Clause
#include <core/term_block.hpp>

#include <algorithm>
#include <cstdint>
#include <new>

#include <core/arithmetic.hpp>
#include <core/exact_terms.hpp>

namespace op2::core {
namespace {

constexpr std::size_t alignment = 64;

/// What is at the beginning of a block; of each component, the sum follows, what code cuts, and the
/// exponent of the last terms.
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
TermCut* cuts_in(TermBlock* block, int dim) {
  return reinterpret_cast<TermCut*>(sums_in<T>(block) + dim);
}

/// Adds terms of a component that have been cut, and others.
void add_component(ExactSum<double>& sum, std::span<const double> terms, TermCut& cut,
                   int& exponent) {
  const int before = exponent;
  const bool any_cut = cut.terms > 0;
  if (any_cut) add_cut(sum, cut, exponent);
  cut.terms = 0;
  add_terms(sum, terms, exponent);
  if (any_cut) exponent = std::max(exponent, before);  // the others may be the smallest
  if (exponent != before) set_places(cut, exponent);
}

void add_component(ExactSum<float>& sum, std::span<const float> terms, TermCut& /*cut*/,
                   int& exponent) {
  add_terms(sum, terms, exponent);
}

void add(TermBlock* block, const void* terms, std::int64_t stride, std::int64_t count) noexcept {
  const Head& head = *reinterpret_cast<const Head*>(block);
  with_rounded(head.type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(block);
    int* const exponents = reinterpret_cast<int*>(block->cuts + head.dim);
    for (int k = 0; k < head.dim; ++k)
      add_component(
          sums[k],
          std::span(static_cast<const T*>(terms) + k * stride, static_cast<std::size_t>(count)),
          block->cuts[k], exponents[k]);
  });
}

}  // namespace

std::size_t term_block_bytes(Type type, int dim) {
  const std::size_t sum = type == Type::f64 ? sizeof(ExactSum<double>) : sizeof(ExactSum<float>);
  const std::size_t each = sum + sizeof(TermCut) + sizeof(int);
  return round_up(alignment + each * static_cast<std::size_t>(dim), alignment);
}

void start_terms(std::byte* block, Type type, int dim) {
  Head* const head = new (block) Head{{add, nullptr}, type, dim};
  with_rounded(type, [&]<class T>() {
    ExactSum<T>* const sums = sums_in<T>(&head->code);
    for (int k = 0; k < dim; ++k) new (&sums[k]) ExactSum<T>();
    head->code.cuts = cuts_in<T>(&head->code, dim);
  });
  for (int k = 0; k < dim; ++k) set_places(*new (&head->code.cuts[k]) TermCut(), 0);
  std::fill_n(reinterpret_cast<int*>(head->code.cuts + dim), dim, 0);
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
