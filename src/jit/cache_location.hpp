// SPDX-License-Identifier: BSD-3-Clause
// Where the cache of compiled kernels is.
#pragma once

#include <string>
#include <vector>

#include <jit/cache_directory.hpp>

namespace op2::jit {

/// The directory to use: `configured` if not empty, otherwise op2 under $XDG_CACHE_HOME, otherwise
/// .cache/op2 under $HOME if that exists; without trailing slashes. Empty if there is none
/// (relative paths in variables are ignored), or if the program has more privileges than its user.
std::string cache_location(const std::string& configured);

/// Creates the directory with mode 0700, and missing parents.
/// @return  which of them cannot be created, and why; empty if there is no such problem. The
/// directory may exist nevertheless.
std::string make_cache_directory(const std::string& path);

/// The parent of `path` in which any user could replace it by another directory; empty if there is
/// none.
std::string exposed_parent(const std::string& path);

// Caches of a site: directories that all users of a machine read and none of them writes to.

/// A folder that may be a shared cache.
struct SharedFolder {
  std::string path;
  std::string owner = "root";  ///< name or number of the user who may fill it
};

/// The file in which an administrator names the shared caches of a machine, below the folder for
/// configuration that the build has: /etc/op2/cache_ro.
std::string list_of_shared_folders();

/// The folders of OP2_CACHE_RO, "folder:folder" or "none". If it is empty, all folders of the list;
/// otherwise the list only says who owns them.
/// @param list  a file with a folder and, after blanks, its owner in each line; '#' begins a
///              comment. Not read if others than root and this user can change it.
std::vector<SharedFolder> shared_folders(const std::string& configured, const std::string& list);

/// Opens the folder if only root, this user and its owner can change it, its entries and the
/// folders above it.
CacheDirectory::Opened open_shared(const SharedFolder& folder);

}  // namespace op2::jit
