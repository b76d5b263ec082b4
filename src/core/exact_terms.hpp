// SPDX-License-Identifier: BSD-3-Clause
// Adds many terms to an exact sum, faster than one by one.
#pragma once

#include <span>

#include <core/exact_sum.hpp>

namespace op2::core {

/// Blocks of terms are cut at a common binary digit, by adding and subtracting a large number
/// (error-free vector transformation: Rump, Ogita and Oishi, "Accurate floating-point summation
/// part I", SIAM J. Sci. Comput. 31, 2008). The sums of the upper and of the lower parts have no
/// rounding errors, so that only they are added to the integers; what is below both is cut again.
/// Local. Cost of a term: 0.4 ns with vectors of 8 lanes, 1.5 ns with 2, twice that if terms differ
/// by more than 2^80.
void add_terms(ExactSum<double>& sum, std::span<const double> terms);

/// One by one.
void add_terms(ExactSum<float>& sum, std::span<const float> terms);

}  // namespace op2::core
