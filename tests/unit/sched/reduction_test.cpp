// SPDX-License-Identifier: BSD-3-Clause
#include <sched/reductions.hpp>

#include <vector>

#include <gtest/gtest.h>

#include <core/mesh.hpp>
#include <core/value_type.hpp>
#include <sched/executor/bindings.hpp>
#include <support/fake_communicator.hpp>

namespace op2::sched {
namespace {

core::LoopArg reduced(op_access access, Type type, int dim) {
  return {.kind = OP_ARG_GBL,
          .access = access,
          .dim = dim,
          .column = -1,
          .type = type,
          .active = true,
          .dat = nullptr,
          .map = nullptr,
          .global = nullptr};
}

template <class T>
T after(op_access access, T before, T contribution) {
  const core::LoopArg arg = reduced(access, type_of<T>(), 1);
  T partial{};
  auto* bytes = reinterpret_cast<std::byte*>(&partial);
  start_partial(arg, &before, bytes);
  partial = access == OP_INC ? static_cast<T>(partial + contribution) : contribution;
  T value = before;
  fold_partial(arg, bytes, &value);
  return value;
}

TEST(Reduction, TheStartValueOfASumCountsOnce) {
  EXPECT_EQ(after<double>(OP_INC, 10, 5), 15);
  EXPECT_EQ(after<std::uint32_t>(OP_INC, 10, 5), 15u);
  EXPECT_EQ(after<float>(OP_INC, 10, 5), 15);
}

TEST(Reduction, MinimumAndMaximumIncludeTheStartValue) {
  EXPECT_EQ(after<std::int64_t>(OP_MIN, -3, 5), -3);
  EXPECT_EQ(after<std::int64_t>(OP_MAX, -3, 5), 5);
  EXPECT_EQ(after<bool>(OP_MAX, false, true), true);
  EXPECT_EQ(after<bool>(OP_MIN, true, false), false);
}

TEST(Reduction, AThreadWithoutElementsChangesNothing) {
  const core::LoopArg arg = reduced(OP_MAX, Type::i32, 3);
  const int before[] = {-7, 0, 9};
  int partial[3], value[] = {-7, 0, 9};
  start_partial(arg, before, reinterpret_cast<std::byte*>(partial));
  fold_partial(arg, reinterpret_cast<std::byte*>(partial), value);
  EXPECT_EQ(value[0], -7);
  EXPECT_EQ(value[2], 9);
}

/// The value of a global of doubles.
double value_of(const core::Global& global) {
  return *reinterpret_cast<const double*>(global.value.host_read());
}

TEST(Reduction, GlobalsOfAllRanksAreCombinedAtOnce) {
  comm::run_fake_ranks(3, [](comm::Communicator& ranks) {
    core::Mesh mesh;
    const double zero = 0, ten = 10;
    core::Global& sum = mesh.add_global(1, Type::f64, &zero, "sum");
    core::Global& least = mesh.add_global(1, Type::f64, &ten, "least");
    core::Global& unused = mesh.add_global(1, Type::f64, &ten, "unused");
    const double found = ranks.rank() + 1;
    const auto* bytes = reinterpret_cast<const std::byte*>(&found);
    add_to_partial(reduced(OP_INC, Type::f64, 1), bytes, sum);
    add_to_partial(reduced(OP_MIN, Type::f64, 1), bytes, least);
    core::Global* const all[] = {&sum, &unused, &least};
    combine(all, ranks);
    combine(all, ranks);  // nothing is counted twice
    EXPECT_EQ(value_of(sum), 6);
    EXPECT_EQ(value_of(least), 1);
    EXPECT_EQ(value_of(unused), 10);
  });
}

/// What rank k has found for a payload: the value k, by this element with this extreme.
struct Found {
  std::int64_t element;
  double extreme;
};

/// The result on every rank; -1 is the root's value before.
std::vector<double> chosen(const std::vector<Found>& found, const core::LoopArg* extreme,
                           double best) {
  std::vector<double> values(found.size(), -1);
  comm::run_fake_ranks(static_cast<int>(found.size()), [&](comm::Communicator& ranks) {
    const auto k = static_cast<std::size_t>(ranks.rank());
    const double own = ranks.rank();
    const auto bytes = [](const double& x) { return reinterpret_cast<const std::byte*>(&x); };
    const Payload payload{reinterpret_cast<std::byte*>(&values[k]),
                          sizeof own,
                          bytes(own),
                          found[k].element,
                          extreme,
                          bytes(found[k].extreme),
                          bytes(best)};
    choose_payloads(ranks, {&payload, 1});
  });
  return values;
}

TEST(Payload, TheBestExtremeWinsAndOfEqualOnesTheLowestNumber) {
  const core::LoopArg least = reduced(OP_MIN, Type::f64, 1),
                      greatest = reduced(OP_MAX, Type::f64, 1);
  const std::vector<Found> found{{9, 3}, {8, 1}, {4, 1}, {no_element, 3}};
  EXPECT_EQ(chosen(found, &least, 1), std::vector<double>(4, 2));
  EXPECT_EQ(chosen(found, &greatest, 3), std::vector<double>(4, 0));
}

TEST(Payload, ZerosOfOtherSignsAreNotTheBestExtreme) {
  const core::LoopArg least = reduced(OP_MIN, Type::f64, 1);
  EXPECT_EQ(chosen({{3, 0.0}, {5, -0.0}, {9, -0.0}}, &least, -0.0), std::vector<double>(3, 1));
}

TEST(Payload, NoElementWinsAgainstABetterStartValueOfSomeRank) {
  const core::LoopArg greatest = reduced(OP_MAX, Type::f64, 1);
  EXPECT_EQ(chosen({{7, 102}, {no_element, 500}}, &greatest, 500), std::vector<double>(2, -1));
}

TEST(Payload, WithoutAnExtremeTheHighestNumberWins) {
  const std::vector<Found> found{{no_element, 0}, {0, 0}, {7, 0}, {5, 0}};
  EXPECT_EQ(chosen(found, nullptr, 0), std::vector<double>(4, 2));
}

TEST(Payload, StaysIfNoElementHasSetIt) {
  EXPECT_EQ(chosen({{no_element, 0}, {no_element, 0}}, nullptr, 0), std::vector<double>(2, -1));
}

}  // namespace
}  // namespace op2::sched
