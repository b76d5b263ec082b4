// SPDX-License-Identifier: BSD-3-Clause
// Whether all that a kernel does with the values of a parameter is to take minima, or maxima, of
// them and of values that do not depend on them, so that the order of elements does not matter.
#pragma once

#include <clang/AST/Decl.h>

namespace op2::jit {

enum class ExtremeUse { none, only_lowers, only_raises };

/// Of a parameter of `kernel` that is a pointer, to values or to rows. Wherever the kernel names
/// it, it must be in one of these forms, as a statement whose value nobody uses; `v` is one value,
/// `e` has its type and names neither the parameter nor a function with effects:
///
///     v = e < v ? e : v;      if (e < v) v = e;      v = std::min(v, e);      v = fmin(e, v);
///
/// also turned round, with <=, > or >=, in loops, under conditions, and in functions that get a
/// pointer or a reference to values. Cost: some passes over the statements.
ExtremeUse extreme_use_of(const clang::FunctionDecl& kernel, unsigned parameter);

}  // namespace op2::jit
