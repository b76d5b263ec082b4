// SPDX-License-Identifier: BSD-3-Clause
// Caches of a site: directories that all users of a machine read and none of them writes to.
#pragma once

#include <string>
#include <vector>

#include <jit/cache_directory.hpp>

namespace op2::jit {

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
