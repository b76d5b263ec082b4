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
/// Local. Cost of a term: with vectors of 8 lanes 0.3 ns in blocks of 1 024 and 1 ns in blocks of
/// 64, twice that if terms differ by more than 2^40; 4 ns if there are fewer than 32.
/// @param exponent  a guess: all terms are below 2^exponent. Becomes that of these terms. A wrong
///                  one costs a second pass.
void add_terms(ExactSum<double>& sum, std::span<const double> terms, int& exponent);

/// One by one.
void add_terms(ExactSum<float>& sum, std::span<const float> terms, int& exponent);

}  // namespace op2::core
