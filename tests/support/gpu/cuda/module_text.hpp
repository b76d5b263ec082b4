// SPDX-License-Identifier: BSD-3-Clause
// What stands for PTX: the source, and the compiled module as text behind it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace op2::test::gpu::cuda {

std::string module_text(const std::string& source, std::span<const std::byte> image);
bool is_module_text(const char* text);
/// @param text  ends with a zero. @throws std::runtime_error if it was changed
std::vector<std::byte> image_of(const char* text);

}  // namespace op2::test::gpu::cuda
