// SPDX-License-Identifier: BSD-3-Clause
// What the tools of this folder have in common: parts, loops and regions are ranges with a name,
// which end in the reverse order of their begins.
#pragma once

#include <string>

/// Begins a range. Each tool defines it, and `end_range`.
/// @param name  read during the call only
void begin_range(const std::string& name);
/// Ends the innermost range.
void end_range();
