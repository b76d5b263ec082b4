// SPDX-License-Identifier: BSD-3-Clause
// Libraries of mathematical functions that are loaded when kernels need them; libop2 does not need
// them otherwise. Which functions they have is asked of the libraries themselves: they grew over
// the years.
#pragma once

#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace op2::jit {

/// A function of several numbers at once, as the vectoriser wants to know it.
struct VectorFunction {
  std::string scalar;  ///< name of the function of one number in intermediate code
  std::string vector;  ///< name of the function of `width` numbers for each argument
  int width = 0;
  std::string shape;  ///< the same of its parameters: "_ZGV_LLVM_N4vv"
  /// The function that the library has: of `width` numbers, of fewer, or of as many as a register
  /// holds whose length only the processor knows (0).
  std::string library{};
  int library_width = 0;
};

/// Those of the vector library that belongs to the C library (libmvec; errors up to 4 units in the
/// last place) that code for a target may call.
std::vector<VectorFunction> fast_vector_functions(const TargetInfo& target);

/// The variants of math_names.hpp for vectors of a target, with the same bits as their scalar
/// ones.
std::vector<VectorFunction> consistent_vector_functions(const TargetInfo& target);

/// A hash of the names of the fast functions for the target; empty if there are none.
std::string vector_math_of(const TargetInfo& target);

/// Address of a fast function in this process, such as _ZGVdN4v_exp; null if there is none. Thread
/// safe.
void* vector_function(const std::string& name);

/// Address of a variant of math_names.hpp in this process; null if there is none. Thread
/// safe.
void* consistent_function(const std::string& symbol);

/// The library of the variants, or null if it cannot be loaded. Thread safe. The first call takes a
/// millisecond.
void* loaded_consistent_library();

/// Why a symbol of math_names.hpp has no address, and what to do.
std::string missing_consistent_function(const std::string& symbol);

}  // namespace op2::jit
