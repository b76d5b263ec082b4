// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/field.hpp>

#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <comm/files/open_file.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

template <class T>
void append_value(fmt::memory_buffer& line, T value) {
  const auto out = fmt::appender(line);
  if constexpr (std::is_floating_point_v<T>) {
    fmt::format_to(out, " {:+.{}E}", value, std::numeric_limits<T>::max_digits10 - 1);
  } else {
    fmt::format_to(out, " {:d}", value);
  }
}

template <class T>
void write_rows(FileWriter& file, const Field& field) {
  const T* value = static_cast<const T*>(field.values);
  fmt::memory_buffer line;
  for (std::int64_t row = 0; row < field.count; ++row) {
    line.clear();
    for (int n = 0; n < field.dim; ++n) append_value(line, *value++);
    line.push_back('\n');
    file.write(line.data(), line.size());
  }
}

}  // namespace

void write_text_file(const std::string& path, const Field& field) {
  FileWriter file(path);
  file.write(fmt::format("{} {}\n", field.count, field.dim));
  core::with_type(field.type, [&]<class T>() { write_rows<T>(file, field); });
  file.publish();
}

void write_binary_file(const std::string& path, const Field& field) {
  if (field.count > std::numeric_limits<int>::max()) {
    core::fail(ErrorCode::too_large,
               "too many elements for the format: '{}', dat '{}', {}, at most 2^31 - 1; write a "
               "text file instead",
               path, field.name, field.count);
  }
  const int header[] = {static_cast<int>(field.count), field.dim};
  FileWriter file(path);
  file.write(header, sizeof header);
  file.write(field.values, field.bytes());
  file.publish();
}

}  // namespace op2::comm
