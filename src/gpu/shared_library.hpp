// SPDX-License-Identifier: BSD-3-Clause
// Libraries that are loaded at run time, and their functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace op2::gpu {

/// A loaded library; it stays loaded until the process ends, because drivers leave threads behind.
class SharedLibrary {
 public:
  /// Local calls. None if the file cannot be loaded.
  /// @param file  a path, or a name without '/' that the loader searches for
  /// @param why   receives the loader's message where there is none
  static std::optional<SharedLibrary> open(const std::string& file, std::string& why);

  /// Where the loader found it.
  const std::string& path() const { return path_; }
  /// What the static linker has written into it to identify it, in hexadecimal; "unknown" without.
  std::string build_id() const;
  /// An address of the library; null, and noted as missing, if it does not have the name.
  void* find(const char* name);
  /// The names that were not found, with a space before each.
  const std::string& missing() const { return missing_; }

 private:
  SharedLibrary(void* handle, std::string path);

  void* handle_;
  std::string path_, missing_;
};

/// A function of a library.
template <class Signature>
class ApiFunction;

template <class Result, class... Parameters>
class ApiFunction<Result(Parameters...)> {
 public:
  ApiFunction(SharedLibrary& library, const char* name)
      : name_(name), address_(reinterpret_cast<Result (*)(Parameters...)>(library.find(name))) {}

  const char* name() const { return name_; }
  Result operator()(Parameters... parameters) const { return address_(parameters...); }

 private:
  const char* name_;
  Result (*address_)(Parameters...);
};

/// OP2_CUDA_DRIVER and OP2_NVRTC: a file or a folder each; empty: search.
struct LibraryPaths {
  std::string driver, nvrtc;
};

}  // namespace op2::gpu
