// SPDX-License-Identifier: BSD-3-Clause
// Who could have written a file: what others than this user and root can change is not executed.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace op2::jit {

/// Users who may have written what is trusted.
using Writers = std::vector<uid_t>;

/// Root and this user. In a container without root, also the user who stands for all that the
/// container does not know, the machine's root among them.
Writers root_and_user();

/// These, and the owners of the library or program that contains `address` and of the folders that
/// it is in, who decide what this process executes anyway: a site's account that has installed
/// libop2, for example.
Writers writers_of_code(const void* address);

/// Why others than `writers` could change the file, or replace it in one of the folders and links
/// that its absolute path leads through: the first of them, its owner and mode. Empty if nobody
/// could, or if there is no such file. Folders above that of the file may be writable by all if
/// they are sticky. A group that only the owner belongs to counts as the owner.
std::string exposure_of_file(const std::filesystem::path& file, const Writers& writers);

/// What to do about it.
inline constexpr const char* advice_on_exposure =
    "let it belong to you or root, and take the permission to write from others (chmod go-w)";

/// The same for a folder. What is in it is to be looked at by itself.
std::string exposure_of_folder(const std::filesystem::path& folder, const Writers& writers);

// The folder of a loaded library, in which the library and the plug-in look for their parts.

/// The folder of the library or program that contains `address`; empty if none does.
std::filesystem::path library_folder(const void* address);

}  // namespace op2::jit
