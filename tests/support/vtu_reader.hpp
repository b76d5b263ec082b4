// SPDX-License-Identifier: BSD-3-Clause
// Reads back what a .vtu file holds, for tests: it knows appended raw data and nothing else.
#pragma once

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace op2::test {

struct VtuArray {
  std::string type;
  int components;
  std::string bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

struct VtuFile {
  std::string header;  ///< the XML text before the data
  std::string footer;  ///< what follows the last array
  std::map<std::string, VtuArray> arrays;
};

inline std::string attribute_of(const std::string& element, const std::string& name) {
  const auto begin = element.find(name + "=\"") + name.size() + 2;
  return element.substr(begin, element.find('"', begin) - begin);
}

inline VtuFile parse_vtu(const std::string& content) {
  const std::string marker = "<AppendedData encoding=\"raw\">\n_";
  const auto end_of_header = content.find(marker);
  if (end_of_header == std::string::npos) throw std::runtime_error("no appended data");
  VtuFile file{content.substr(0, end_of_header), {}, {}};
  std::size_t end_of_data = end_of_header + marker.size();
  const std::size_t data = end_of_data;
  for (auto at = file.header.find("<DataArray"); at != std::string::npos;
       at = file.header.find("<DataArray", at + 1)) {
    const std::string element = file.header.substr(at, file.header.find('>', at) - at);
    const std::size_t block = data + std::stoull(attribute_of(element, "offset"));
    std::uint64_t bytes = 0;
    if (block + sizeof bytes > content.size()) throw std::runtime_error("offset beyond the file");
    std::memcpy(&bytes, content.data() + block, sizeof bytes);
    if (block + sizeof bytes + bytes > content.size())
      throw std::runtime_error("array beyond the file");
    file.arrays[attribute_of(element, "Name")] = {
        attribute_of(element, "type"), std::stoi(attribute_of(element, "NumberOfComponents")),
        content.substr(block + sizeof bytes, bytes)};
    end_of_data = block + sizeof bytes + bytes;
  }
  file.footer = content.substr(end_of_data);
  return file;
}

}  // namespace op2::test
