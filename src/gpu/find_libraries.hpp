// SPDX-License-Identifier: BSD-3-Clause
// Where NVRTC is looked for.
#pragma once

#include <string>
#include <vector>

namespace op2::gpu {

/// OP2_CUDA_DRIVER and OP2_NVRTC: a file or a folder each; empty: search.
struct LibraryPaths {
  std::string driver, nvrtc;
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

}  // namespace op2::gpu
