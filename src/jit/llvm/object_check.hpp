// SPDX-License-Identifier: BSD-3-Clause
// Checks an object before a byte of it is mapped.
#pragma once

#include <string>
#include <vector>

#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace op2::jit {

/// The undefined symbols of `object`.
/// @return  or an error, unless it is a relocatable ELF file for this machine that defines `entry`
///          and has only sections, symbols and relocations that generated code has
llvm::Expected<std::vector<std::string>> check_object(llvm::MemoryBufferRef object,
                                                      const std::string& entry);

}  // namespace op2::jit
