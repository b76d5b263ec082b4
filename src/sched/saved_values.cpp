// SPDX-License-Identifier: BSD-3-Clause
#include <sched/saved_values.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <sched/reductions.hpp>

namespace op2::sched {
namespace {

using Values = std::span<const std::byte>;

std::vector<std::byte> copy_of(const core::Array& array) {
  const std::byte* const begin = array.host_read();
  return {begin, begin + array.bytes()};
}

/// Empty: there is none.
std::vector<std::byte> copy_of_partial(const core::Global& global) {
  return global.has_partial ? copy_of(global.partial) : std::vector<std::byte>{};
}

void restore_partial(const SavedGlobal& saved, core::Global& global) {
  global.has_partial = !saved.partial.empty();
  if (global.has_partial) global.partial.replace(core::bytes_of(saved.partial));
  global.partial_access = saved.partial_access;
  global.partial_is_exact = saved.partial_is_exact;
  global.nan_wins = saved.nan_wins;
}

bool is_known(const std::vector<SavedDat>& dats, const core::Dat* dat) {
  return std::ranges::find(dats, dat, &SavedDat::dat) != dats.end();
}

void save_dat(core::Dat* dat, const core::Mesh& mesh, SavedValues& saved) {
  if (!is_known(saved.dats, dat)) saved.dats.push_back({dat, copy_of(dat->rows), !mesh.knows(dat)});
}

void save_global(core::Global* global, SavedValues& saved) {
  if (std::ranges::find(saved.globals, global, &SavedGlobal::global) == saved.globals.end())
    saved.globals.push_back({global, copy_of(global->value), copy_of_partial(*global),
                             global->partial_access, global->partial_is_exact, global->nan_wins});
}

/// Of several loops that reduce a variable, the last has its value.
void save_variable(SavedVariable variable, SavedValues& saved) {
  std::erase_if(saved.variables,
                [&](const SavedVariable& each) { return each.address == variable.address; });
  saved.variables.push_back(std::move(variable));
}

/// Whether two values are the same for the guarantee of the reproducible mode.
template <class T>
bool same(const T& one, const T& other) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(one) && std::isnan(other)) return true;
  return std::memcmp(&one, &other, sizeof(T)) == 0;
}

/// Calls visit(position, text, other's text) for each value that differs.
template <class Visit>
void visit_differences(Type type, Values one, Values other, const Visit& visit) {
  core::with_type(type, [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= std::min(one.size(), other.size());
         at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, one.data() + at, sizeof(T));
      std::memcpy(&b, other.data() + at, sizeof(T));
      if (!same(a, b)) visit(at / sizeof(T), fmt::format("{}", a), fmt::format("{}", b));
    }
  });
}

std::optional<Difference> difference_of_rows(const SavedDat& one, const SavedDat& other) {
  if (one.is_freed) return {};
  const core::Dat& dat = *one.dat;
  const auto values = static_cast<std::size_t>(dat.size) / core::size_of(dat.value_type);
  const auto owned =
      static_cast<std::size_t>(dat.on().layout->owned()) * static_cast<std::size_t>(dat.size);
  std::optional<Difference> first;
  std::int64_t count = 0;
  visit_differences(
      dat.value_type, Values(one.rows).first(owned), Values(other.rows).first(owned),
      [&](std::size_t at, std::string a, std::string b) {
        ++count;
        const std::int64_t element = dat.on().global_index(static_cast<std::int64_t>(at / values));
        if (!first || element < first->element)
          first =
              Difference{0, element, static_cast<int>(at % values), std::move(a), std::move(b), 0};
      });
  if (first) first->count = count;
  return first;
}

std::optional<Difference> difference_of_values(Type type, Values one, Values other) {
  std::optional<Difference> first;
  std::int64_t count = 0;
  visit_differences(type, one, other, [&](std::size_t at, std::string a, std::string b) {
    if (count++ == 0) first = Difference{0, 0, static_cast<int>(at), std::move(a), std::move(b), 0};
  });
  if (first) first->count = count;
  return first;
}

/// The values of globals, as a program would get them now.
std::vector<std::vector<std::byte>> values_of(const std::vector<SavedGlobal>& saved,
                                              comm::Communicator& ranks) {
  std::vector<core::Global> globals(saved.size());
  std::vector<core::Global*> wanted;
  for (std::size_t k = 0; k < saved.size(); ++k) {
    core::Global& global = globals[k];
    static_cast<op_global_core&>(global) = *saved[k].global;
    global.value_type = saved[k].global->value_type;
    global.value.replace(core::bytes_of(saved[k].value));
    restore_partial(saved[k], global);
    if (global.has_partial) wanted.push_back(&global);
  }
  combine(wanted, ranks);
  std::vector<std::vector<std::byte>> values;
  for (const core::Global& global : globals) values.push_back(copy_of(global.value));
  return values;
}

}  // namespace

SavedValues save_values(const core::Queue& queue, const core::Mesh& mesh) {
  SavedValues saved;
  for (std::size_t r = 0; r < queue.size(); ++r) {
    const core::LoopRecord& record = queue.records()[r];
    if (record.is_assignment()) save_global(record.target, saved);
    const std::span<const core::LoopArg> args = queue.args_of(record);
    for (std::uint32_t k = 0; k < args.size(); ++k) {
      const core::LoopArg& arg = args[k];
      if (arg.modifies_dat()) save_dat(arg.dat, mesh, saved);
      if (!arg.is_reduction()) continue;
      if (arg.global != nullptr) {
        save_global(arg.global, saved);
        continue;
      }
      auto* const address = static_cast<std::byte*>(queue.values_of(record)[k].user);
      save_variable(
          {r, k, address, arg.type, {address, address + core::size_of(arg.type, arg.dim)}}, saved);
    }
  }
  return saved;
}

void restore(const SavedValues& saved) {
  for (const SavedDat& one : saved.dats)
    if (!one.rows.empty())
      std::memcpy(one.dat->rows.host_write().get(), one.rows.data(), one.rows.size());
  for (const SavedGlobal& one : saved.globals) {
    std::memcpy(one.global->value.host_write().get(), one.value.data(), one.value.size());
    restore_partial(one, *one.global);
  }
  for (const SavedVariable& one : saved.variables)
    std::memcpy(one.address, one.value.data(), one.value.size());
}

std::optional<Difference> find_difference(const SavedValues& one, const SavedValues& other,
                                          comm::Communicator& ranks) {
  const auto globals = values_of(one.globals, ranks);
  const auto other_globals = values_of(other.globals, ranks);
  std::size_t position = 0;
  std::optional<Difference> found;
  const auto take = [&](std::optional<Difference> difference) {
    if (difference && !found) {
      found = std::move(difference);
      found->position = position;
    }
    ++position;
  };
  for (std::size_t k = 0; k < one.dats.size(); ++k)
    take(difference_of_rows(one.dats[k], other.dats[k]));
  for (std::size_t k = 0; k < globals.size(); ++k)
    take(difference_of_values(one.globals[k].global->value_type, globals[k], other_globals[k]));
  for (std::size_t k = 0; k < one.variables.size(); ++k)
    take(difference_of_values(one.variables[k].type, one.variables[k].value,
                              other.variables[k].value));
  return found;
}

std::string place_of(const Difference& found, const SavedValues& saved) {
  std::size_t position = found.position;
  if (position < saved.dats.size()) {
    const core::Dat& dat = *saved.dats[position].dat;
    return fmt::format("dat '{}' on set '{}', element {}", dat.name_storage, dat.on().name_storage,
                       found.element);
  }
  position -= saved.dats.size();
  if (position < saved.globals.size())
    return fmt::format("global '{}'", saved.globals[position].global->name_storage);
  return fmt::format("arg {}", saved.variables[position - saved.globals.size()].arg);
}

}  // namespace op2::sched
