// SPDX-License-Identifier: BSD-3-Clause
// Tells gdb of loaded code, by its interface for compilers at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <jit/code_symbols.hpp>

namespace op2::jit {

/// An ELF file with the symbols of loaded code, but not the code.
std::vector<std::byte> symbol_file(const CodeSymbols& code);

/// Known to gdb while the result lives. Thread safe. Without a debugger it costs some memory.
std::shared_ptr<void> tell_gdb(const CodeSymbols& code);

}  // namespace op2::jit
