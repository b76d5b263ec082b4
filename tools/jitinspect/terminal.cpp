// SPDX-License-Identifier: BSD-3-Clause
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include <fmt/core.h>

namespace op2::jitinspect {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::size_t width_of_terminal() {
  const std::string_view asked = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, problem] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  if (problem == std::errc() && end == asked.data() + asked.size() && columns > 0) return columns;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The parameter of the escape sequence SGR.
const char* code_of(Style style) {
  switch (style) {
    case Style::plain:
      return "0";
    case Style::heading:
      return "1";
    case Style::key:
      return "33";
    case Style::good:
      return "32";
    case Style::bad:
      return "31";
  }
  return "0";
}

}  // namespace

Terminal terminal() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  const std::string_view type = variable("TERM");
  return {.present = true,
          .width = width_of_terminal(),
          .colours = variable("NO_COLOR").empty() && !type.empty() && type != "dumb"};
}

std::string painted(Style style, std::string_view text) {
  if (style == Style::plain || !terminal().colours) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

}  // namespace op2::jitinspect
