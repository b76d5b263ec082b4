// SPDX-License-Identifier: BSD-3-Clause
// Adds many terms to an exact sum, faster than one by one.
#pragma once

#include <span>

#include <core/exact_sum.hpp>
#include <core/loop_abi.hpp>

namespace op2::core {

/// Blocks of terms are cut at three common binary digits, by adding and subtracting large numbers
/// (error-free vector transformation: Rump, Ogita and Oishi, "Accurate floating-point summation
/// part I", SIAM J. Sci. Comput. 31, 2008). The sums of the parts have no rounding errors, so that
/// only they are added to the integers; what is left is cut again.
/// Local. Cost of a term: with vectors of 8 lanes 0.4 ns in blocks of 1 024 and 1 ns in blocks of
/// 64, twice that if terms differ by more than 2^90; 4 ns if there are fewer than 32.
/// @param exponent  a guess: all terms are below 2^exponent. Becomes that of these terms. A wrong
///                  one costs a second pass.
void add_terms(ExactSum<double>& sum, std::span<const double> terms, int& exponent);

/// For terms that the caller cuts: below 2^exponent, and in places that it is to use.
void set_places(TermCut& cut, int exponent);

/// Adds terms that the caller has cut: each is below 2^(exponent + 2), and nothing of it was left.
/// @param cut  with the places of `exponent`, of at most 1 024 terms
void add_cut(ExactSum<double>& sum, const TermCut& cut, int exponent);

/// One by one.
void add_terms(ExactSum<float>& sum, std::span<const float> terms, int& exponent);

}  // namespace op2::core
