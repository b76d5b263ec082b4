// SPDX-License-Identifier: BSD-3-Clause
// How does the compiler of the host make a module of CUDA source, every access of which is checked?
//
// GCC's thread sanitizer calls a function before each access; the names of these functions are
// changed in the assembly, and kernel_calls.cpp has them. The runtime of the sanitizer is not used.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace op2::test::gpu::cuda {

struct Header {
  std::string name, text;
};

struct Program {
  std::string source, name;
  std::vector<Header> headers;
};

struct Compiled {
  bool ok = false;
  std::string log;               ///< as NVRTC writes it
  std::vector<std::byte> image;  ///< a shared object
};

/// Remembers what the compiler has accepted: tests compile some programs hundreds of times.
/// @param definitions  "NAME=VALUE"
/// @param contracts    a * b + c is rounded once; the processor has instructions for it
Compiled compile_kernels(const Program& program, int architecture,
                         const std::vector<std::string>& definitions, bool contracts);

/// The names of the program's kernels.
std::vector<std::string> kernels_of(const std::string& source);

}  // namespace op2::test::gpu::cuda
