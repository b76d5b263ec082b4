// SPDX-License-Identifier: BSD-3-Clause
#include <core/validate.hpp>

#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include <core/counted.hpp>
#include <core/error.hpp>
#include <core/similar_name.hpp>
#include <core/value_type.hpp>

namespace op2::core {

void check_name(const char* what, const char* name) {
  if (name == nullptr || *name == '\0')
    fail(ErrorCode::bad_name, "the name is empty: {}; give it one", what);
}

void check_path(const char* function, const char* path) {
  if (path == nullptr || *path == '\0')
    fail(ErrorCode::bad_name, "the path is empty: {}; name a file", function);
}

void check_words(const char* function, int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (argv == nullptr || argv[k] == nullptr)
      fail(ErrorCode::null_data,
           "the pointer is null: {}, word {} of {} in argv; pass argc and argv of main, or 0 and "
           "nullptr",
           function, k, argc);
}

void check_identifier(const char* what, const char* name, ErrorCode code) {
  const std::string_view text = name == nullptr ? "" : name;
  bool good =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
  for (const char c : text)
    good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  if (!good)
    fail(code,
         "the name is not a C++ identifier: {} '{}'; kernels refer to it, so use letters, digits "
         "and underscores",
         what, text);
}

void check_dim(const char* what, const char* name, int dim) {
  if (dim < 1 || dim > max_dim)
    fail(ErrorCode::bad_dim,
         "dim is out of range: {} '{}', {} is outside 1 .. {}; give it one in it", what, name, dim,
         max_dim);
}

Type check_type_name(const std::string& what, const char* type) {
  const std::optional<Type> named = type_named(type);
  if (!named)
    fail(ErrorCode::bad_type,
         "unknown type: {}, \"{}\"; use double, float, int, uint, ll, ull or bool{}", what, type,
         did_you_mean(type, type_names()));
  return *named;
}

void check_type(const char* what, const char* name, const char* type, Type value_type) {
  if (type == nullptr) return;
  const std::string place = fmt::format("{} '{}'", what, name);
  if (check_type_name(place, type) != value_type)
    fail(ErrorCode::bad_type,
         "the type string does not match the data: {}, \"{}\" for values of C++ type {}; write "
         "\"{}\"",
         place, type, cxx_name_of(value_type), name_of(value_type));
}

void refuse_handle(const std::string& what, const void* handle) {
  if (handle == nullptr)
    fail(ErrorCode::bad_handle, "the handle is null: {}; declare the object first", what);
  fail(ErrorCode::bad_handle,
       "the handle is not of this session: {} {}, it was freed or is from before op_exit; declare "
       "the object in this session",
       what, fmt::format("{}", handle));
}

void check_map_values(op_set from, op_set to, int dim, const int* values, const char* name) {
  const std::int64_t count = std::int64_t{static_cast<const Set*>(from)->declared} * dim;
  if (count > 0 && values == nullptr)
    fail(ErrorCode::null_data, "the values are null: map '{}', set '{}' has {}; pass {} for each",
         name, from->name, counted(static_cast<const Set*>(from)->declared, "element"),
         counted(dim, "value"));
  const std::int64_t targets = static_cast<const Set*>(to)->global_size;
  std::int64_t bad = 0;
  std::int64_t first = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (values[k] >= 0 && values[k] < targets) continue;
    if (bad++ == 0) first = k;
  }
  if (bad > 0)
    fail(ErrorCode::map_out_of_range,
         "{} of {} entries are out of range: map '{}'[{}][{}] = {}, but set '{}' has {} (0 .. "
         "{}); check the mesh",
         bad, count, name, static_cast<const Set*>(from)->first + first / dim, first % dim,
         values[first], to->name, counted(targets, "element"), targets - 1);
}

}  // namespace op2::core
