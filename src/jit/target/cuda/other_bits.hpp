// SPDX-License-Identifier: BSD-3-Clause
// What in a kernel's source has other bits on a GPU than on a CPU (OP2_REPRODUCIBLE=on).
#pragma once

#include <string>

#include <jit/loop_nest.hpp>

namespace op2::jit {

/// "it calls 'exp', whose bits on a GPU are not those of a CPU"; empty: nothing. Looks at names
/// alone, in all parts of the source and of the files that it includes, so it may find what a
/// kernel does not use, but misses nothing: sources in which macros make names are taken for such.
std::string other_bits(const KernelCall& call);

}  // namespace op2::jit
