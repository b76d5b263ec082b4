// SPDX-License-Identifier: BSD-3-Clause
// A property on random meshes, one for each of the seeds 1, 2, ...
#pragma once

#include <gtest/gtest.h>

#include <support/random_chains.hpp>

namespace op2::test {

/// Fails if `is_right(mesh, random)` is false for the mesh of any seed up to `seeds`, and names the
/// first five of these. The mutants are recognised by the words of the failure.
template <class IsRight>
void check_meshes(ModelMesh (*make_mesh)(Random&), unsigned seeds, const IsRight& is_right) {
  int wrong = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    Random random(seed);
    const ModelMesh mesh = make_mesh(random);
    if (!is_right(mesh, random) && wrong++ < 5) ADD_FAILURE() << "seed " << seed << " fails";
  }
  EXPECT_EQ(wrong, 0) << wrong << " of " << seeds << " random meshes differ";
}

}  // namespace op2::test
