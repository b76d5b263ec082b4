// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include <array>

#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>

namespace op2::embed {

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  const auto shown = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (shown.isInvalid()) return {};
  return {shown.getFilename(), static_cast<int>(shown.getLine()),
          static_cast<int>(shown.getColumn())};
}

std::string line_of(const Message& message) {
  constexpr std::array words{"warning", "error", "note"};
  const std::string where =
      message.place.line > 0
          ? fmt::format("{}:{}:{}: ", message.place.file, message.place.line, message.place.column)
          : "op2-embed-kernels: ";
  return fmt::format("{}{}: {}\n", where, words.at(static_cast<std::size_t>(message.severity)),
                     message.text);
}

}  // namespace op2::embed
