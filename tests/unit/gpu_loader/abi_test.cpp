// SPDX-License-Identifier: BSD-3-Clause
// The library's own declarations against those of NVIDIA, compiled where a toolkit is installed.
#include <cstddef>
#include <filesystem>
#include <type_traits>

#include <cuda.h>
#include <gmock/gmock.h>
#include <nvrtc.h>

#include <gpu/device.hpp>
#include <gpu/driver_api.hpp>
#include <gpu/nvrtc.hpp>
#include <support/expect_error.hpp>

namespace op2::gpu {
namespace {

/// Whether two parameters are passed alike: both pointers, or numbers of the same size.
template <class Ours, class Theirs>
constexpr bool alike =
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> && sizeof(Ours) == sizeof(Theirs);

/// Whether a function of ours can be called for one of theirs.
template <class Result, class... Ours, class TheirResult, class... Theirs>
constexpr bool callable(ApiFunction<Result(Ours...)>*, TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return alike<Result, TheirResult> && (alike<Ours, Theirs> && ...);
  else
    return false;
}
template <class Ours, class Theirs>
constexpr bool same(Ours DriverApi::*, Theirs theirs) {
  return callable(static_cast<Ours*>(nullptr), theirs);
}
template <class Ours, class Theirs>
constexpr bool same(Ours NvrtcApi::*, Theirs theirs) {
  return callable(static_cast<Ours*>(nullptr), theirs);
}

static_assert(same(&DriverApi::init, cuInit));
static_assert(!same(&DriverApi::init, cuDriverGetVersion));
static_assert(same(&DriverApi::driver_version, cuDriverGetVersion));
static_assert(same(&DriverApi::error_name, cuGetErrorName));
static_assert(same(&DriverApi::device_count, cuDeviceGetCount));
static_assert(same(&DriverApi::device_id, cuDeviceGetUuid_v2));
static_assert(sizeof(DeviceId) == sizeof(CUuuid));
static_assert(same(&DriverApi::device_get, cuDeviceGet));
static_assert(same(&DriverApi::device_name, cuDeviceGetName));
static_assert(same(&DriverApi::device_attribute, cuDeviceGetAttribute));
static_assert(same(&DriverApi::context_retain, cuDevicePrimaryCtxRetain));
static_assert(same(&DriverApi::context_get_current, cuCtxGetCurrent));
static_assert(same(&DriverApi::context_release, cuDevicePrimaryCtxRelease));
static_assert(same(&DriverApi::context_set_current, cuCtxSetCurrent));
static_assert(same(&DriverApi::memory_allocate, cuMemAlloc));
static_assert(same(&DriverApi::memory_free, cuMemFree));
static_assert(same(&DriverApi::pinned_allocate, cuMemHostAlloc));
static_assert(same(&DriverApi::pinned_free, cuMemFreeHost));
static_assert(same(&DriverApi::memory_info, cuMemGetInfo));
static_assert(same(&DriverApi::upload, cuMemcpyHtoDAsync));
static_assert(same(&DriverApi::download, cuMemcpyDtoHAsync));
static_assert(same(&DriverApi::copy, cuMemcpyDtoDAsync));
static_assert(same(&DriverApi::fill, cuMemsetD8Async));
static_assert(same(&DriverApi::stream_create, cuStreamCreate));
static_assert(same(&DriverApi::stream_destroy, cuStreamDestroy));
static_assert(same(&DriverApi::stream_wait, cuStreamSynchronize));
static_assert(same(&DriverApi::stream_wait_for, cuStreamWaitEvent));
static_assert(same(&DriverApi::event_create, cuEventCreate));
static_assert(same(&DriverApi::event_destroy, cuEventDestroy));
static_assert(same(&DriverApi::event_record, cuEventRecord));
static_assert(same(&DriverApi::event_query, cuEventQuery));
static_assert(same(&DriverApi::event_wait, cuEventSynchronize));
static_assert(same(&DriverApi::event_elapsed, cuEventElapsedTime));
static_assert(same(&DriverApi::module_load, cuModuleLoadDataEx));
static_assert(same(&DriverApi::module_unload, cuModuleUnload));
static_assert(same(&DriverApi::module_function, cuModuleGetFunction));
static_assert(same(&DriverApi::module_symbol, cuModuleGetGlobal));
static_assert(same(&DriverApi::launch, cuLaunchKernel));
static_assert(same(&DriverApi::graph_create, cuGraphCreate));
static_assert(same(&DriverApi::graph_destroy, cuGraphDestroy));
static_assert(same(&DriverApi::graph_add_kernel, cuGraphAddKernelNode));
static_assert(same(&DriverApi::graph_instantiate, cuGraphInstantiateWithFlags));
static_assert(same(&DriverApi::executable_destroy, cuGraphExecDestroy));
static_assert(same(&DriverApi::graph_launch, cuGraphLaunch));

static_assert(same(&NvrtcApi::version, nvrtcVersion));
static_assert(same(&NvrtcApi::error_string, nvrtcGetErrorString));
static_assert(same(&NvrtcApi::architecture_count, nvrtcGetNumSupportedArchs));
static_assert(same(&NvrtcApi::architectures, nvrtcGetSupportedArchs));
static_assert(same(&NvrtcApi::create, nvrtcCreateProgram));
static_assert(same(&NvrtcApi::destroy, nvrtcDestroyProgram));
static_assert(same(&NvrtcApi::compile, nvrtcCompileProgram));
static_assert(same(&NvrtcApi::log_bytes, nvrtcGetProgramLogSize));
static_assert(same(&NvrtcApi::log, nvrtcGetProgramLog));
static_assert(same(&NvrtcApi::ptx_bytes, nvrtcGetPTXSize));
static_assert(same(&NvrtcApi::ptx, nvrtcGetPTX));
static_assert(same(&NvrtcApi::cubin_bytes, nvrtcGetCUBINSize));
static_assert(same(&NvrtcApi::cubin, nvrtcGetCUBIN));

using Result = DriverResult;
static_assert(Result::success == CUDA_SUCCESS && Result::out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(Result::devices_unavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(Result::invalid_image == CUDA_ERROR_INVALID_IMAGE);
static_assert(Result::no_binary == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(Result::uncorrectable_memory == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(Result::invalid_ptx == CUDA_ERROR_INVALID_PTX);
static_assert(Result::no_ptx_compiler == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
static_assert(Result::ptx_compiler_off == CUDA_ERROR_JIT_COMPILATION_DISABLED);
static_assert(Result::unsupported_ptx == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(Result::not_found == CUDA_ERROR_NOT_FOUND);
static_assert(Result::not_ready == CUDA_ERROR_NOT_READY);
static_assert(Result::illegal_address == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(Result::assert_failed == CUDA_ERROR_ASSERT);
static_assert(Result::illegal_instruction == CUDA_ERROR_ILLEGAL_INSTRUCTION);
static_assert(Result::misaligned_address == CUDA_ERROR_MISALIGNED_ADDRESS);
static_assert(Result::illegal_address_space == CUDA_ERROR_INVALID_ADDRESS_SPACE);
static_assert(Result::illegal_counter == CUDA_ERROR_INVALID_PC);
static_assert(Result::launch_failed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(Result::system_not_ready == CUDA_ERROR_SYSTEM_NOT_READY);
static_assert(Result::driver_mismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(Result::unknown == CUDA_ERROR_UNKNOWN);
static_assert(NvrtcResult::success == NVRTC_SUCCESS);
static_assert(NvrtcResult::out_of_memory == NVRTC_ERROR_OUT_OF_MEMORY);
static_assert(NvrtcResult::rejected == NVRTC_ERROR_COMPILATION);

static_assert(DeviceAttribute::architecture_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(DeviceAttribute::architecture_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(LoadOption::error_log == CU_JIT_ERROR_LOG_BUFFER);
static_assert(LoadOption::error_log_bytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(event_with_timing == CU_EVENT_DEFAULT);
static_assert(event_without_timing == CU_EVENT_DISABLE_TIMING);

using Theirs = CUDA_KERNEL_NODE_PARAMS;
static_assert(sizeof(KernelNode) == sizeof(Theirs));
static_assert(offsetof(KernelNode, function) == offsetof(Theirs, func));
static_assert(offsetof(KernelNode, blocks_x) == offsetof(Theirs, gridDimX));
static_assert(offsetof(KernelNode, threads_x) == offsetof(Theirs, blockDimX));
static_assert(offsetof(KernelNode, shared_bytes) == offsetof(Theirs, sharedMemBytes));
static_assert(offsetof(KernelNode, parameters) == offsetof(Theirs, kernelParams));
static_assert(offsetof(KernelNode, extra) == offsetof(Theirs, extra));
static_assert(offsetof(KernelNode, kernel) == offsetof(Theirs, kern));
static_assert(offsetof(KernelNode, context) == offsetof(Theirs, ctx));

/// The toolkit's library to link with: all names, no driver. Empty: there is none.
std::string library_to_link_with() {
  for (const char* folder : {"lib", "lib64", "targets/x86_64-linux/lib"}) {
    const auto file = std::filesystem::path(OP2_CUDA_INCLUDE) / ".." / folder / "stubs/libcuda.so";
    if (std::filesystem::exists(file)) return file.string();
  }
  return {};
}

class ToolkitLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (path.empty()) GTEST_SKIP() << "no stubs/libcuda.so beside " << OP2_CUDA_INCLUDE;
  }
  const std::string path = library_to_link_with();
};

TEST_F(ToolkitLibrary, HasAllFunctionsOfTheDriver) {
  EXPECT_EQ(load_driver(path)->library.missing(), "");
}

TEST_F(ToolkitLibrary, IsNotADriver) {
  EXPECT_THAT(test::error_text(ErrorCode::no_device,
                               [&] { Device::open({.driver = path, .nvrtc = ""}, 0); }),
              ::testing::HasSubstr("libcuda.so, cuInit returned 34 ("));
}

}  // namespace
}  // namespace op2::gpu
