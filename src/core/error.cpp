// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>

#include <fmt/format.h>

namespace op2 {

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(fmt::format("OP2-E{} {}", static_cast<int>(code), message)), code_(code) {}

namespace core {

std::string message_part(double number) {
  return fmt::format("{}", number);
}

void fail_with(ErrorCode code, std::string_view text, std::initializer_list<std::string> parts) {
  std::string message;
  for (const std::string& part : parts) {
    const std::size_t place = text.find("{}");
    message.append(text.substr(0, place)).append(part);
    text.remove_prefix(place + 2);
  }
  throw Error(code, message.append(text));
}

}  // namespace core
}  // namespace op2
