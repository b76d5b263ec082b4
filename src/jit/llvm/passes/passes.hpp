// SPDX-License-Identifier: BSD-3-Clause
// What is done to generated code besides LLVM's own passes, and what is measured of it.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/PassManager.h>

#include <jit/backend.hpp>
#include <jit/llvm/math_libraries.hpp>

namespace op2::jit {

// References outlive the passes that have them.

// Before the optimiser.

/// Calls the variants of math_names.hpp instead of the C library's functions and of what the
/// optimiser knows about them. To be used before any optimisation, which else evaluates calls of
/// constants with the functions of the compiling process, and replaces pow(x, 2) only where it is
/// scalar. Where the source allows contraction, a * b + c is rounded once, also on processors
/// without such an instruction, which call the C library for it.
/// @return  the functions that have no variant: "sincos"
std::vector<std::string> make_calls_consistent(llvm::Module& module);

/// Brings kernels into the form that vector code can be made of: one function without calls, loops
/// or local memory. Inlines all functions of the module, except those that call themselves, and
/// replaces loops of constant length by copies of their bodies, so that local arrays that they
/// index become variables. If a loop over the elements of a vector is to become vector code, only
/// loops inside it are replaced: the rest of the module executes few elements. Beyond a budget of
/// instructions the optimiser decides as usual.
void flatten_kernels(llvm::ModulePassManager& passes, const CompileRequest& request);

/// Finds floating-point operations that a loop over the elements of a vector executes on some paths
/// only, where the vectoriser and the optimiser would execute them on all: programs with
/// floating-point traps would see what they do not compute. To be run before both, after
/// flatten_kernels.
struct FindTraps : llvm::PassInfoMixin<FindTraps> {
  const std::string& blocks;  ///< the function with the loop over the elements of a vector
  bool& found;                ///< set to true
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// Inside the optimiser's pipeline.

/// Counts the floating-point operations that one element costs, for rooflines: additions,
/// subtractions, multiplications and divisions as one, fused multiply-adds as two, roots and
/// functions of mathematics as one. Both sides of a branch count, as vector code executes both. To
/// run when calls are inlined and loops over components are unrolled, but loops over elements are
/// not yet. Cost: a pass over the instructions.
struct CountFlops : llvm::PassInfoMixin<CountFlops> {
  const CompileRequest& request;
  /// Becomes the number, or `core::unknown_flops`: the kernel has a loop whose length only its
  /// execution shows, or a call that is not inlined.
  double& flops;
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// For kernels that choose between pointers, such as `a ? std::max(b, c) : std::min(b, d)`. Loads
/// through a pointer that depends on the way to a block become loads at the ends of the blocks
/// before it, each through the pointer of that way. Only where the load follows on every way and
/// nothing writes memory in between, so that no load is added. Local variables that were in memory
/// because of such a pointer then end up in registers, and loops that were not vectorised because
/// of that memory are.
struct LoadBeforeChoice : llvm::PassInfoMixin<LoadBeforeChoice> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

/// Prepares the loop over the elements of a vector for the vectoriser of LLVM: it does not take
/// switches, which the optimiser also makes of `else if`, and executes both sides of all branches.
/// Makes one version of the loop for each value of a condition that does not depend on the element
/// (constants, globals that are read). Only where a side has enough instructions, and up to a
/// budget of versions and of instructions.
struct PrepareBranches : llvm::PassInfoMixin<PrepareBranches> {
  const std::string& blocks;  ///< the function with this loop
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Negates after shuffles instead of before them. What a kernel adds on one side of an edge and
/// subtracts on the other is then the same shuffled vector, which later passes find, and the
/// negation ends in a subtraction.
struct NegateLate : llvm::PassInfoMixin<NegateLate> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// After the optimiser.

/// The vectoriser calls functions of vectors of the width that it has chosen. Where the library has
/// only those of fewer numbers, or of registers whose length the processor knows (SVE), these are
/// called instead.
void call_libraries(llvm::Module& module, const std::vector<VectorFunction>& functions);

// Why its code is not to be used as vectorised code.

/// Functions, other than of mathematics, that the loop calls: each lane would wait for the others.
SimdChoice calls_in(const llvm::Module& module, const CompileRequest& request);

/// Whether the loops of a vectorised function lose. What they save is arithmetic that one element
/// after the other would need more; what they cost is moved between rows of elements and vectors:
/// shuffles, insertions, extractions. Divisions and roots count as many instructions, because they
/// take as long; not on Arm's processors, which divide the elements of a vector one after another.
/// Loads and stores of rows are not counted: scalar code has them too.
SimdChoice loss_in(llvm::Module& module, const std::string& function, const TargetInfo& target);

}  // namespace op2::jit
