// SPDX-License-Identifier: BSD-3-Clause
#include <core/text_file.hpp>

#include <cstdio>
#include <memory>

namespace op2::core {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::optional<std::string> read_file(const char* path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "rb"));
  if (file == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  while (const std::size_t bytes = std::fread(block, 1, sizeof block, file.get()))
    text.append(block, bytes);
  if (std::ferror(file.get())) return std::nullopt;
  return text;
}

}  // namespace op2::core
