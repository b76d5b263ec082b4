// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace op2::comm {

/// What to do with a path that has the ending of a mesh generator's file, for the end of a message
/// about a file that has no sets, maps and dats: how op2-mesh converts it. Empty for other paths.
std::string advice_for_mesh(const std::string& path);

}  // namespace op2::comm
