// SPDX-License-Identifier: BSD-3-Clause
// NVRTC, NVIDIA's compiler library (libnvrtc.so.12 or newer), under own declarations, so that no
// header of CUDA is needed: where it is found, and CUDA source to machine code of a device.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

struct Compiled {
  bool ok = false;               ///< false: the source is rejected, and `log` says why
  std::string log;               ///< errors and warnings; with `--ptxas-options=-v` also registers
  std::string ptx;               ///< without the zero at its end
  std::vector<std::byte> cubin;  ///< empty if the options name a virtual architecture
};

/// A file that the source may include; names are as in the #include.
struct SourceHeader {
  std::string name, text;
};

/// What code is compiled for.
struct Architecture {
  int number = 0;           ///< as in sm_90
  bool is_virtual = false;  ///< PTX, of which the driver makes code for a device of a later one

  /// For example "sm_90", "compute_90".
  std::string name() const { return (is_virtual ? "compute_" : "sm_") + std::to_string(number); }
};

class Nvrtc {
 public:
  /// @throws Error device_compiler: its version or its architectures cannot be read
  explicit Nvrtc(std::shared_ptr<const NvrtcApi> api);

  /// For example "13.0".
  std::string version() const;
  /// Distinguishes builds of one version.
  const std::string& build() const { return build_; }
  int major() const { return major_; }
  bool is_at_least(int major, int minor) const {
    return major_ > major || (major_ == major && minor_ >= minor);
  }
  /// The device's own, or the newest before it, as PTX: NVRTC does not know all up to its newest.
  /// @param device  as in sm_121: 121
  /// @throws Error  device_compiler: NVRTC compiles only for later ones
  Architecture architecture_for(int device) const;
  /// The first that it compiles for, as in sm_75: 75; 0: none.
  int oldest_architecture() const { return architectures_.empty() ? 0 : architectures_.front(); }
  /// The file that was loaded.
  const std::string& path() const { return api_->library.path(); }

  /// Local, thread safe (one compilation at a time).
  /// @param name     of the source, in the log
  /// @param options  for example "--gpu-architecture=sm_90"
  /// @throws Error   device_compiler: NVRTC itself fails, or it does not know an option
  Compiled compile(const std::string& source, const std::string& name,
                   std::span<const SourceHeader> headers,
                   const std::vector<std::string>& options) const;

 private:
  std::shared_ptr<const NvrtcApi> api_;
  std::string build_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;  ///< that it compiles for, ascending
  mutable std::mutex one_at_a_time_;
};

/// What the search for NVRTC depends on. Empty folders are left out.
struct SearchRoots {
  std::string cuda_home;    ///< $CUDA_HOME: a toolkit
  std::string toolkits;     ///< the folder with toolkits named cuda*
  bool loader_path = true;  ///< whether the loader is asked
  std::string home;         ///< $HOME, below which tools/setup.sh --cuda installs
  std::string virtual_env;  ///< $VIRTUAL_ENV of Python
};
SearchRoots search_roots_of_environment();

/// A library that may be there.
struct NvrtcCandidate {
  std::string file;  ///< a path of a file that exists, or a name for the loader
  int major = 0;     ///< version as the name says: 13, 12, 11; 0: unknown
  bool exists = false;
};

struct NvrtcSearch {
  std::vector<NvrtcCandidate> candidates;  ///< in order of search; one file occurs once
  std::vector<std::string> empty_folders;  ///< in which no NVRTC is, and why: "/a: no such folder"
};

/// Local; reads folders. @param given  OP2_NVRTC; not empty: nothing else is searched
NvrtcSearch find_nvrtc(const std::string& given, const SearchRoots& roots);

/// Local; reads folders and loads nothing. A name without '/' is left to the loader.
/// @param given   OP2_NVRTC, or empty
/// @throws Error  device_compiler: there is no such file, or no NVRTC in the folder
void check_nvrtc_path(const std::string& given);

/// Local. The newest NVRTC that is found, not of a newer major version than the driver, that
/// compiles for the device.
/// @param driver_version  13000 for CUDA 13.0; 0: no driver, any NVRTC fits
/// @param device          as in sm_90: 90; 0: none
/// @throws Error          device_compiler: there is none, each is too old or does not fit; names
///                        all places
std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version,
                                        int device = 0,
                                        const SearchRoots& roots = search_roots_of_environment());

}  // namespace op2::gpu
