// SPDX-License-Identifier: BSD-3-Clause
// What the tool tells the user, in the form of a compiler.
#pragma once

#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

namespace clang {
class SourceManager;
}

namespace op2::embed {

struct Place {
  std::string file;
  int line = 0;  ///< 0: no place
  int column = 0;
};

struct Message {
  enum class Severity { warning, error, note };
  Severity severity = Severity::warning;
  Place place;
  std::string text;
};

/// Where the user sees `location`: in the line that a macro is used in, not in the macro.
Place place_of(const clang::SourceManager& sources, clang::SourceLocation location);

/// "flow.cpp:12:3: warning: ..."
std::string line_of(const Message& message);

}  // namespace op2::embed
