// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace op2::jit {

// The functions of compiled code at the addresses where it is loaded, for debuggers and profilers.

struct CodeSymbols {
  struct Function {
    std::string name;
    std::uint64_t address, size;
  };
  std::uint16_t machine = 0;          ///< of the ELF header
  std::uint64_t begin = 0, size = 0;  ///< of the loaded section
  std::vector<Function> functions;    ///< ascending by address
};

/// The functions in the section of `entry`.
/// @param object   relocatable ELF of 64 bits, that was loaded
/// @param entry    name of the function that is at `address`
/// @param name     what it is called in the result; names of others are put after it
/// @return nothing if the object is of another form
std::optional<CodeSymbols> code_symbols(std::span<const std::byte> object, const std::string& entry,
                                        std::uint64_t address, const std::string& name);

/// "op2_loop_" and the names of the loops, as an identifier.
std::string symbol_of_loop(const std::string& loops);

// Tells gdb of loaded code, by its interface for compilers at run time.

/// Known to gdb while the result lives. Thread safe. Without a debugger it costs some memory.
std::shared_ptr<void> register_with_gdb(const CodeSymbols& code);

// Tells perf of loaded code, by the file that it reads for compilers at run time.

/// Appends a line per function to `path`: begin, size, name. Code that is unmapped stays in it, as
/// perf wants it. @return false if the file cannot be written
bool register_with_perf(const CodeSymbols& code, const std::string& path);

/// The file of this process: "/tmp/perf-1234.map".
std::string perf_map_path();

}  // namespace op2::jit
