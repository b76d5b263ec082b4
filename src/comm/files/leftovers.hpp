// SPDX-License-Identifier: BSD-3-Clause
// Names of temporary files, and which of them were left behind by writers that were killed. Local.
#pragma once

#include <string>

namespace op2::comm {

/// A name in the folder of `target` that tells host and process: "a.h5.host.1234-567890-0.tmp",
/// with the number of the process, its start time and `attempt`.
std::string temporary_name(const std::string& target, int attempt);

/// Removes the temporary files in `folder` whose names begin with `prefix`, of this user and this
/// host, whose process is gone. Files of other users and hosts, those that are being written, and
/// all on file systems without locks stay. Never throws. Cost: one pass over the names in the
/// folder.
void remove_leftovers(const std::string& folder, const std::string& prefix);

}  // namespace op2::comm
