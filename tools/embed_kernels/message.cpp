// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include <array>

#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>

namespace op2::embed {

FileLocation file_location(const clang::SourceManager& sources, clang::SourceLocation location) {
  const auto shown = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (shown.isInvalid()) return {};
  return {shown.getFilename(), static_cast<int>(shown.getLine()),
          static_cast<int>(shown.getColumn())};
}

std::string line_of(const Message& message) {
  constexpr std::array severities{"warning", "error", "note"};
  const std::string where = message.location.line > 0
                                ? fmt::format("{}:{}:{}: ", message.location.file,
                                              message.location.line, message.location.column)
                                : "op2-embed-kernels: ";
  return fmt::format("{}{}: {}\n", where, severities.at(static_cast<std::size_t>(message.severity)),
                     message.text);
}

}  // namespace op2::embed
