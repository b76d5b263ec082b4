// SPDX-License-Identifier: BSD-3-Clause
#include "module_text.hpp"

#include <cstring>
#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

constexpr std::string_view title = "// PTX of an emulated device\n";
constexpr std::string_view begin_of_image = "\n// image ";

/// Lines that define and read the constants of a kernel, as those of PTX do.
std::string lines_of_constants(std::span<const std::byte> image) {
  const std::string_view bytes(reinterpret_cast<const char*>(image.data()), image.size());
  std::set<std::string_view> names;
  constexpr std::string_view scope = "_ZN14op2_constants";
  for (auto at = bytes.find(scope); at != bytes.npos; at = bytes.find(scope, at + 1))
    names.insert(bytes.substr(at, bytes.find('\0', at) - at));
  std::string lines;
  for (const std::string_view name : names)
    lines += fmt::format("\n// .const {0};\n// ld.const [{0}];", name);
  return lines;
}

}  // namespace

std::string module_text(const std::string& source, std::span<const std::byte> image) {
  std::string text =
      std::string(title) + source + lines_of_constants(image) + std::string(begin_of_image);
  for (const std::byte byte : image) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

bool is_module_text(const char* text) {
  return std::strncmp(text, title.data(), title.size()) == 0;
}

std::vector<std::byte> image_of(const char* text) {
  const std::string_view all = text;
  const std::size_t begin = all.rfind(begin_of_image);
  if (begin == std::string_view::npos) throw std::runtime_error("PTX without an image");
  std::vector<std::byte> image;
  for (std::size_t k = begin + begin_of_image.size(); k + 1 < all.size(); k += 2)
    image.push_back(static_cast<std::byte>(std::stoi(std::string(all.substr(k, 2)), nullptr, 16)));
  return image;
}

}  // namespace op2::test::gpu::cuda
