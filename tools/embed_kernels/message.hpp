// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics of the tool, formatted like those of a compiler.
#pragma once

#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

namespace clang {
class SourceManager;
}

namespace op2::embed {

struct FileLocation {
  std::string file;
  int line = 0;  ///< from 1; 0: no location
  int column = 0;
};

struct Message {
  enum class Severity { warning, error, note };
  Severity severity = Severity::warning;
  FileLocation location;
  std::string text;
};

/// `location` as shown to the user: where a macro is expanded, not where it is defined.
FileLocation file_location(const clang::SourceManager& sources, clang::SourceLocation location);

/// "flow.cpp:12:3: warning: ..."
std::string line_of(const Message& message);

}  // namespace op2::embed
