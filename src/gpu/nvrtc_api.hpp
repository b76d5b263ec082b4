// SPDX-License-Identifier: BSD-3-Clause
// The functions of NVRTC, NVIDIA's compiler library (libnvrtc.so.12 or newer), under own
// declarations, so that no header of CUDA is needed.
#pragma once

#include <cstddef>
#include <utility>

#include <gpu/shared_library.hpp>

namespace op2::gpu {

using ProgramHandle = struct NvrtcProgram*;

/// What functions of NVRTC return. All others are failures, too.
struct NvrtcResult {
  static constexpr int success = 0, out_of_memory = 1, rejected = 6;
};

/// All but `error_string` return an NvrtcResult.
struct NvrtcApi {
  explicit NvrtcApi(SharedLibrary from) : library(std::move(from)) {}
  NvrtcApi(const NvrtcApi&) = delete;
  NvrtcApi& operator=(const NvrtcApi&) = delete;

  SharedLibrary library;  // before the functions, which are found in it

  template <class... Parameters>
  using Function = ApiFunction<int(Parameters...)>;

  Function<int*, int*> version{library, "nvrtcVersion"};
  ApiFunction<const char*(int)> error_string{library, "nvrtcGetErrorString"};
  Function<int*> architecture_count{library, "nvrtcGetNumSupportedArchs"};
  Function<int*> architectures{library, "nvrtcGetSupportedArchs"};

  /// Program, source, its name, then the number of headers, their texts and their names.
  Function<ProgramHandle*, const char*, const char*, int, const char* const*, const char* const*>
      create{library, "nvrtcCreateProgram"};
  Function<ProgramHandle*> destroy{library, "nvrtcDestroyProgram"};
  Function<ProgramHandle, int, const char* const*> compile{library, "nvrtcCompileProgram"};
  // Sizes include the zero at the end of a text.
  Function<ProgramHandle, std::size_t*> log_bytes{library, "nvrtcGetProgramLogSize"};
  Function<ProgramHandle, char*> log{library, "nvrtcGetProgramLog"};
  Function<ProgramHandle, std::size_t*> ptx_bytes{library, "nvrtcGetPTXSize"};
  Function<ProgramHandle, char*> ptx{library, "nvrtcGetPTX"};
  Function<ProgramHandle, std::size_t*> cubin_bytes{library, "nvrtcGetCUBINSize"};
  Function<ProgramHandle, char*> cubin{library, "nvrtcGetCUBIN"};
};

}  // namespace op2::gpu
