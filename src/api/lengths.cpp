// SPDX-License-Identifier: BSD-3-Clause
// Checks the lengths of containers that are given in place of pointers. What else is wrong with a
// call is found by the function that takes the pointer.
#include <string>

#include <fmt/format.h>

#include <op2/lengths.hpp>

#include <api/session.hpp>
#include <core/error.hpp>
#include <core/text.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

const char* shown(const char* name) {
  return name == nullptr ? "(null)" : name;
}

/// @param object  for messages: what the values belong to
/// @param why     for messages: how many are needed, and why
void check(const char* function, const std::string& object, std::int64_t needed,
           const std::string& why, detail::Given given) {
  if (needed < 0) return;
  if (given.count != static_cast<std::uint64_t>(needed))
    core::fail(ErrorCode::bad_size,
               "wrong number of values: {}, {}, {} are given, but {} are needed ({}); pass exactly "
               "so many",
               function, object, given.count, needed, why);
  if (given.values == nullptr && needed > 0)
    core::fail(ErrorCode::null_data,
               "the values are null: {}, {}, {} are needed ({}); pass an array", function, object,
               needed, why);
}

/// The same on all ranks together.
void check_on_ranks(const char* function, const std::string& object, std::int64_t needed,
                    const std::string& why, detail::Given given) {
  api::Runtime& runtime = api::usable(function);
  runtime.enter("{}, {}, number of values", function, object);
  runtime.check_together([&] { check(function, object, needed, why, given); });
}

}  // namespace

void op2::detail::check_length(const char* function, const char* kind, op_set set, int dim,
                               const char* name, Given given) {
  const std::string object = fmt::format("{} '{}'", kind, shown(name));
  core::check_handle(api::usable(function).mesh, object + ", set", set);
  const std::int64_t declared = core::record_of(set)->declared;
  check_on_ranks(
      function, object, dim < 0 ? -1 : declared * dim,
      fmt::format("{} of set '{}' x dim {}", core::counted(declared, "element"), set->name, dim),
      given);
}

void op2::detail::check_length(const char* function, op_dat dat, Given given) {
  const core::Dat& record = api::checked_dat(function, dat);
  check_on_ranks(
      function, fmt::format("dat '{}'", record.name_storage),
      std::int64_t{record.on().declared} * record.dim,
      fmt::format("{} of set '{}' x dim {}", core::counted(record.on().declared, "element"),
                  record.set->name, record.dim),
      given);
}

void op2::detail::check_length(const char* function, op_dat dat, std::int64_t low,
                               std::int64_t high, Given given) {
  const core::Dat& record = api::checked_dat(function, dat);
  const bool inside = low >= 0 && low <= high && high < record.on().global_size;
  check_on_ranks(function, fmt::format("dat '{}'", record.name_storage),
                 inside ? (high - low + 1) * record.dim : -1,
                 fmt::format("elements {} .. {} of set '{}' x dim {}", low, high, record.set->name,
                             record.dim),
                 given);
}

void op2::detail::check_length(const char* function, op_global global, Given given) {
  core::check_handle(api::usable(function).mesh, function, global);
  check(function, fmt::format("global '{}'", global->name), global->dim,
        fmt::format("dim {}", global->dim), given);
}

void op2::detail::check_length(const char* function, const char* kind, const char* name, int dim,
                               Given given) {
  check(function, fmt::format("{} '{}'", kind, shown(name)), dim, fmt::format("dim {}", dim),
        given);
}
