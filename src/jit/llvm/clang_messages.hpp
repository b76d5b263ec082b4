// SPDX-License-Identifier: BSD-3-Clause
// Clang's messages as plain structs, with locations in the user's files.
#pragma once

#include <string>
#include <vector>

#include <clang/Basic/Diagnostic.h>

#include <jit/backend.hpp>

namespace op2::jit {

// Paths of the source, of the files that it includes and of the supplied headers. Included files
// are in a deep folder, so that names that begin with "../" have a place too.
inline constexpr const char* source_path = "/op2/generated.cpp";
inline constexpr const char* include_folder = "/op2/1/2/3/4/5/6/7/8/";
inline constexpr const char* shim_folder = "/op2/headers/";

/// Keeps every message; prints none.
class Collector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;
  std::vector<Diagnostic> messages;
};

/// A note about `place`.
Diagnostic note_at(const clang::SourceManager& sources, clang::SourceLocation place,
                   std::string text);

}  // namespace op2::jit
