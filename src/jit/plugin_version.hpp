// SPDX-License-Identifier: BSD-3-Clause
// Which libop2 a part of the compiler belongs to: the library, its plug-ins and its helper work
// together only if they were built as one version.
#pragma once

#include <string>

namespace op2::jit {

/// Of the file that this is compiled into; the same text in all files of one version.
const char* plugin_version();

/// What a plug-in exports as extern "C" `op2_jit_version`: its `plugin_version`.
using VersionFunction = const char* (*)();

/// The function `name` of a loaded plug-in, which need not be one.
/// @return null if it has none or is of another version; `reason` then says which
void* find_in_plugin(void* library, const char* name, std::string& reason);

}  // namespace op2::jit
