// SPDX-License-Identifier: BSD-3-Clause
// Whether the elements of a loop with argmin or argmax payloads may run in any order, as the source
// of its kernel shows. No compiler is needed, so that plans with a warm cache stay cheap.
#pragma once

#include <span>

#include <op2/types.hpp>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Whether each extreme that has payloads, and each of these, appears in nothing but statements
///
///     if (x > *largest) {
///       *largest = x;
///       *where = ...;
///     }
///
/// (or `*largest < x`, `largest[0]`; `<` for a minimum), which set all values of all payloads of
/// the extreme. Then an element offers a candidate that does not depend on the elements before it,
/// and a sequential loop keeps the first of the best ones. A comparison that also replaces equal
/// values
/// (`>=`) keeps the last; that and all other forms are not recognised. `x` must have the extreme's
/// type where rounding it could change the comparison: if that is not double, `x` is a value of a
/// parameter of the type, or a variable that is declared once, as `T x`.
///
/// A kernel that only passes its parameters on counts as the function that it calls.
/// Every other mention of a name, a macro, a second function of the kernel's name: not recognised.
/// @param call        of which the source and the included files count
/// @param parameters  of the kernel, in their order: types, dims and access modes; of a payload, as
///                    `extreme`, the parameter of its minimum or maximum
bool sets_payloads_in_any_order(const KernelCall& call, std::span<const ArgShape> parameters);

}  // namespace op2::jit
