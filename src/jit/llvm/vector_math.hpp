// SPDX-License-Identifier: BSD-3-Clause
// Mathematical functions of several numbers at once: from the vector library that belongs to the C
// library (libmvec; errors up to 4 units in the last place), or variants with the same bits as
// their scalar ones. Which there are is asked of the libraries themselves: they grew over the
// years.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include <llvm/Analysis/TargetLibraryInfo.h>

#include <jit/backend.hpp>

namespace op2::jit {

/// Address of a function of the vector library of this process, such as _ZGVdN4v_exp; null if there
/// is none. Thread safe.
void* vector_function(const std::string& name);

/// A hash of the names of the functions that code for the target can call; empty if there are none.
std::string vector_math_of(const TargetInfo& target);

/// Functions of several numbers at once, as the vectoriser wants to know them.
class VectorFunctions {
 public:
  VectorFunctions() = default;
  VectorFunctions(VectorFunctions&&) = default;

  /// @param scalar  the name of the function of one number in intermediate code
  /// @param width   numbers that `vector` takes for each of its arguments, 1 or 2
  void add(std::string scalar, std::string vector, int width, int arguments);

  /// Valid as long as the object.
  const std::vector<llvm::VecDesc>& list() const { return functions_; }

 private:
  llvm::StringRef kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::deque<std::string> texts_;
  std::vector<llvm::VecDesc> functions_;
};

/// Those of the C library's vector library that code for a target may call.
VectorFunctions fast_vector_functions(const TargetInfo& target);

/// The variants of consistent_names.hpp for vectors of a target.
VectorFunctions consistent_vector_functions(const TargetInfo& target);

}  // namespace op2::jit
