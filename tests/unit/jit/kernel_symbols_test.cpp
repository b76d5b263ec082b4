// SPDX-License-Identifier: BSD-3-Clause
// Functions of one binary find each other by the ends of their names, however long those are.
#include <gmock/gmock.h>

#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;

/// Adds to two dats through a map, and to a global.
const std::vector<ArgShape> sums = {test::dat(0, 1, OP_READ), test::dat(1, 2, OP_INC, 0),
                                    test::dat(2, 1, OP_INC, 1), test::global(1, OP_INC)};

LoopNest named(const std::string& name) {
  return nest_of({.name = name}, sums);
}

LoopNest fused(const std::string& first, const std::string& second) {
  LoopNest nest = named(first);
  nest.calls.push_back({.name = second, .args = {{0, OP_READ}}});
  return nest;
}

void expect_found(const LoopNest& nest) {
  const std::string text = emit_cuda(nest, core::Increments::rows, true);
  const std::string loop = cuda_entry(nest, core::Increments::rows, true);
  for (const std::string& role :
       {std::string(cuda_loop_role), std::string(cuda_fold_role), gather_role(0), gather_role(1)})
    EXPECT_THAT(text, HasSubstr(" " + role + ending_of(loop) + "(")) << loop;
}

TEST(KernelSymbols, OfAllRolesEndAlikeForNamesOfEveryLength) {
  for (std::size_t size = 90; size <= 125; ++size) {
    expect_found(named(std::string(size, 'k')));
    expect_found(fused("flux", std::string(size - 5, 'k')));
    expect_found(fused(std::string(size / 2, 'k'), std::string(size - size / 2 - 1, 'l')));
  }
}

TEST(KernelSymbols, NameAsManyKernelsAsFitInto100Characters) {
  const std::string kernel(49, 'k');
  EXPECT_EQ(cuda_symbol(cuda_loop_role, fused(kernel, kernel)),
            "op2_loop_" + kernel + "_" + kernel);
  EXPECT_EQ(cuda_symbol(cuda_fold_role, fused(kernel, kernel + "k")), "op2_fold_" + kernel);
  EXPECT_EQ(cuda_symbol(gather_role(12).c_str(), fused(kernel, kernel)),
            "op2_gather12_" + kernel + "_" + kernel);
}

}  // namespace
}  // namespace op2::jit
