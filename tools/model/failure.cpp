// SPDX-License-Identifier: BSD-3-Clause
#include "failure.hpp"

#include <optional>

#include <fmt/format.h>

#include <comm/files/file_writer.hpp>
#include <core/text_file.hpp>
#include <op2/error.hpp>

namespace op2::model {

std::string text_of_file(const std::string& path) {
  std::optional<std::string> text = core::read_file(path.c_str());
  if (!text)
    throw Failure(
        fmt::format("cannot read '{}': {}; name a file that OP2_MODEL, 'op2-model cut' or "
                    "'op2-model machine' has written",
                    path, core::why_unreadable(path.c_str())));
  return std::move(*text);
}

void write_file(const std::string& path, const std::string& text) try {
  comm::FileWriter file(path);
  file.write(text);
  file.publish();
} catch (const Error& error) {
  throw Failure(error.what());
}

}  // namespace op2::model
