// SPDX-License-Identifier: BSD-3-Clause
// Mathematical functions of several numbers at once, from the vector library that belongs to the C
// library (libmvec; errors up to 4 units in the last place). Which there are is asked of the
// library itself: it grew over the years.
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

/// The functions that code for one target may call, as the vectoriser wants to know them.
class VectorMath {
 public:
  explicit VectorMath(const TargetInfo& target);

  /// Valid as long as the object.
  const std::vector<llvm::VecDesc>& functions() const { return functions_; }

 private:
  void add(const TargetInfo& target, const std::string& name, int arguments);
  llvm::StringRef kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::deque<std::string> texts_;
  std::vector<llvm::VecDesc> functions_;
};

}  // namespace op2::jit
