// SPDX-License-Identifier: BSD-3-Clause
// Whether code that executes several elements at once gains anything.
#pragma once

namespace llvm {
class Function;
}

namespace op2::jit {

/// What the loops of a vectorised function save and what they cost, in instructions, roughly.
struct SimdGain {
  double saved = 0;  ///< arithmetic that one element after the other would need more
  double moved = 0;  ///< between rows of elements and vectors: shuffles, insertions, extractions
};

/// Divisions and roots count as many instructions, because they take as long. Loads and stores of
/// rows are not counted: scalar code has them too.
SimdGain simd_gain(llvm::Function& blocks);

}  // namespace op2::jit
