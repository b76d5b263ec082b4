// SPDX-License-Identifier: BSD-3-Clause
// Counts instructions in LLVM IR and in assembly, line by line: enough to see at a glance whether
// a kernel was vectorised and whether it calls anything.
#pragma once

#include <cstdint>
#include <string_view>

namespace op2::jitinspect {

struct IrStatistics {
  std::int64_t instructions = 0;
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  std::int64_t calls = 0;    ///< without LLVM's intrinsics
  std::int64_t vectors = 0;  ///< instructions on vectors of fixed length
};
IrStatistics ir_statistics(std::string_view ir);

/// Instructions in the text of an assembler file, or of PTX.
std::int64_t assembly_instructions(std::string_view assembly);

}  // namespace op2::jitinspect
