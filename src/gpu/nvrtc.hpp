// SPDX-License-Identifier: BSD-3-Clause
// Compilation of CUDA source to machine code of a device.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <gpu/nvrtc_api.hpp>
#include <gpu/shared_library.hpp>

namespace op2::gpu {

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

/// Local. The newest NVRTC that is found, not of a newer major version than the driver, that
/// compiles for the device.
/// @param driver_version  13000 for CUDA 13.0; 0: no driver, any NVRTC fits
/// @param device          as in sm_90: 90; 0: none
/// @throws Error          device_compiler: there is none, each is too old or does not fit; names
///                        all places
std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version,
                                        int device = 0);
/// The same with another environment.
std::shared_ptr<const Nvrtc> load_nvrtc(const LibraryPaths& paths, int driver_version, int device,
                                        const SearchRoots& roots);

}  // namespace op2::gpu
