// SPDX-License-Identifier: BSD-3-Clause
#include <core/mesh.hpp>

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

/// Rows of a dat, zeroed; an error names the dat and the sizes.
HostBytes allocate_rows(const Set* set, int dim, Type type, const char* name) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(set->rows()), size_of(type, dim), &bytes))
    fail(ErrorCode::bad_size,
         "the size exceeds 64 bits: dat '{}', {} elements x {} values of '{}'; use a smaller dim",
         name, set->rows(), dim, name_of(type));
  try {
    return zeroed_bytes(bytes);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory,
         "out of memory: dat '{}' on set '{}', {} bytes ({} elements x {} values of '{}'); use "
         "more machines or a smaller mesh",
         name, set->name, bytes, set->rows(), dim, name_of(type));
  }
}

}  // namespace

void Set::take_layout(const Layout& rows) {
  layout = &rows;
  global_indices = std::vector<std::int32_t>(rows.global_id.begin(), rows.global_id.end());
  size = rows.owned();
  core_size = rows.within(-1);
  exec_size = rows.within(1) - rows.owned();
  nonexec_size = rows.within(2) - rows.within(1);
}

void describe(Kernel& kernel, const char* name, std::string source, const char* file, int line,
              bool source_is_file) {
  kernel.name_storage = name;
  kernel.source_storage = std::move(source);
  kernel.file_storage = file;
  static_cast<op_kernel_core&>(kernel) = {.name = kernel.name_storage.c_str(),
                                          .source = kernel.source_storage.c_str(),
                                          .file = kernel.file_storage.c_str(),
                                          .line = line,
                                          .source_is_file = source_is_file,
                                          .host = nullptr,
                                          .call = nullptr,
                                          .parameters = nullptr,
                                          .parameter_count = -1,
                                          .facts = nullptr};
}

Set& Mesh::add_set(const DeclaredRange& range, const char* name) {
  auto set = std::make_unique<Set>();
  set->name_storage = set_names_.take(name);
  static_cast<op_set_core&>(*set) = {.index = static_cast<int>(sets_.size()),
                                     .size = range.declared,
                                     .name = set->name_storage.c_str(),
                                     .core_size = range.declared,
                                     .exec_size = 0,
                                     .nonexec_size = 0};
  static_cast<DeclaredRange&>(*set) = range;
  set->declared_layout = Layout::without_halos(range.declared);
  known_sets_.insert(set.get());
  ordering_set_ = nullptr;
  return *sets_.emplace_back(std::move(set));
}

Map& Mesh::add_map(op_set from, op_set to, int dim, const std::int32_t* values, const char* name) {
  auto map = std::make_unique<Map>();
  map->name_storage = map_names_.take(name);
  const std::size_t count = static_cast<std::size_t>(from->size) * static_cast<std::size_t>(dim);
  try {
    map->take_entries(bytes_of(std::vector<std::int32_t>(values, values + count)));
  } catch (const std::bad_alloc&) {
    fail(
        ErrorCode::out_of_memory,
        "out of memory: map '{}', {} bytes ({} elements x {}); use more machines or a smaller mesh",
        name, count * sizeof(std::int32_t), from->size, dim);
  }
  map->entries.set_label(fmt::format("map '{}'", map->name_storage));
  map->entries.use(copies_);
  static_cast<op_map_core&>(*map) = {.index = static_cast<int>(maps_.size()),
                                     .from = from,
                                     .to = to,
                                     .dim = dim,
                                     .map = map->map,
                                     .name = map->name_storage.c_str()};
  known_maps_.insert(map.get());
  ordering_set_ = nullptr;
  return *maps_.emplace_back(std::move(map));
}

Kernel& Mesh::add_kernel(const char* name, std::string source, const char* file, int line,
                         bool source_is_file) {
  auto kernel = std::make_unique<Kernel>();
  describe(*kernel, name, std::move(source), file, line, source_is_file);
  known_kernels_.insert(kernel.get());
  return *kernels_.emplace_back(std::move(kernel));
}

FunctionKernel& Mesh::add_function_kernel(void (*function)(), HostCall call, const char* name,
                                          std::string source, const char* file, int line) {
  auto kernel = std::make_unique<FunctionKernel>();
  describe(*kernel, name, std::move(source), file, line, false);
  kernel->host = function;
  kernel->call = call;
  known_kernels_.insert(kernel.get());
  return *functions_.emplace(function, std::move(kernel)).first->second;
}

FunctionKernel* Mesh::kernel_of_function(void (*function)()) const {
  const auto known = functions_.find(function);
  return known == functions_.end() ? nullptr : known->second.get();
}

const FunctionKernel* Mesh::function_of(op_kernel kernel) const {
  const FunctionKernel* known = kernel_of_function(kernel->host);
  return known == kernel ? known : nullptr;
}

Variable& Mesh::variable_at(const void* origin, std::size_t bytes) {
  const auto [known, fresh] = variables_.try_emplace({origin, bytes});
  if (fresh) {
    known->second = {origin, bytes, allocate_zeroed(bytes)};
    std::memcpy(known->second.value.get(), origin, bytes);
  }
  return known->second;
}

void Mesh::end() {
  for (const auto& map : maps_) map->entries.reset();
  for (const auto& dat : dats_) dat->rows.reset();
  for (const auto& global : globals_) global->value.reset(), global->partial.reset();
  use(nullptr);  // the records outlive the device
  for (const auto& kernel : kernels_) core::release(kernel->source_storage);
  constants_.clear();
  known_sets_.clear();
  known_maps_.clear();
  known_dats_.clear();
  known_globals_.clear();
  known_kernels_.clear();
}

Dat* Mesh::take_recycled(op_set set, int dim, Type type) {
  const auto fits = [&](const Dat* dat) {
    return dat->set == set && dat->dim == dim && dat->value_type == type;
  };
  const auto found = std::find_if(reusable_.begin(), reusable_.end(), fits);
  if (found == reusable_.end()) return nullptr;
  Dat* dat = *found;
  reusable_.erase(found);
  std::memset(dat->rows.host_overwrite().get(), 0, dat->bytes());
  return dat;
}

/// Names of temporary dats may be equal.
void Mesh::rename(Dat& dat, const char* name) {
  if (dat.name != nullptr) dat_names_.end_share(dat.name_storage);
  if (dat.temporary) dat_names_.share(name);
  dat.name_storage = dat.temporary ? name : dat_names_.take(name);
  dat.name = dat.name_storage.c_str();
}

Dat& Mesh::add_dat(op_set set, int dim, Type type, const void* values, const char* name,
                   bool temporary) {
  Dat* dat = temporary ? take_recycled(set, dim, type) : nullptr;
  if (dat == nullptr) {
    auto fresh = std::make_unique<Dat>();
    HostBytes rows = allocate_rows(record_of(set), dim, type, name);
    static_cast<op_dat_core&>(*fresh) = {.index = static_cast<int>(dats_.size()),
                                         .set = set,
                                         .dim = dim,
                                         .size = static_cast<int>(size_of(type, dim)),
                                         .data = nullptr,
                                         .type = name_of(type),
                                         .name = nullptr};
    fresh->value_type = type;
    fresh->temporary = temporary;
    fresh->take_rows(std::move(rows));
    fresh->rows.use(copies_);
    dat = dats_.emplace_back(std::move(fresh)).get();
  }
  rename(*dat, name);
  dat->rows.set_label(fmt::format("dat '{}' on set '{}'", dat->name_storage, set->name));
  if (values != nullptr && set->size > 0)
    std::memcpy(dat->rows.host_overwrite().get(), values, dat->bytes());
  known_dats_.insert(dat);
  return *dat;
}

Global& Mesh::add_global(int dim, Type type, const void* initial, const char* name) {
  auto global = std::make_unique<Global>();
  global->name_storage = global_names_.take(name);
  global->value_type = type;
  global->value.set_label(fmt::format("global '{}'", global->name_storage));
  global->value.replace(zeroed_bytes(size_of(type, dim)));
  std::memcpy(global->value.host_overwrite().get(), initial, global->value.bytes());
  global->value.use(copies_);
  global->partial.set_label(fmt::format("partial result of global '{}'", global->name_storage));
  global->partial.use(copies_);
  static_cast<op_global_core&>(*global) = {.index = static_cast<int>(globals_.size()),
                                           .dim = dim,
                                           .type = name_of(type),
                                           .name = global->name_storage.c_str()};
  known_globals_.insert(global.get());
  return *globals_.emplace_back(std::move(global));
}

void Mesh::set_constant(const std::string& name, Type type, int dim, const void* values) {
  const std::size_t bytes = size_of(type, dim);
  auto [entry, fresh] = constants_.try_emplace(name);
  Constant& constant = entry->second;
  if (fresh)
    constant = {name, type, dim, allocate_zeroed(bytes)};
  else if (constant.type != type || constant.dim != dim)
    fail(ErrorCode::bad_constant,
         "declared again with another type or dim: constant '{}', {} x '{}', now {} x '{}'; use "
         "another name",
         name, constant.dim, name_of(constant.type), dim, name_of(type));
  std::memcpy(constant.value.get(), values, bytes);
}

bool Mesh::release(op_dat dat) {
  if (!knows(dat) || !record_of(dat)->temporary) return false;
  known_dats_.erase(dat);
  released_.push_back(record_of(dat));
  return true;
}

void Mesh::use(DeviceCopies* copies) {
  copies_ = copies;
  std::exception_ptr failure;
  const auto change = [&](Array& array) {
    try {
      array.use(copies);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (const auto& dat : dats_) change(dat->rows);
  for (const auto& map : maps_) change(map->entries);
  for (const auto& global : globals_) change(global->value), change(global->partial);
  if (failure) std::rethrow_exception(failure);
}

void Mesh::recycle() {
  for (Dat* dat : released_) {  // opaque rows become plain bytes
    if (!dat->opaque) continue;
    dat->opaque = false;
    dat->padding = 0;
    dat->dim = dat->size;
    dat->value_type = Type::b8;
    dat->type = name_of(dat->value_type);
  }
  reusable_.insert(reusable_.end(), released_.begin(), released_.end());
  released_.clear();
}

void Mesh::choose_ordering_set() {
  if (ordering_set_ != nullptr) return;
  std::vector<std::int64_t> bytes(sets_.size(), 0);
  for (const auto& dat : dats_)
    if (!dat->temporary)
      bytes[static_cast<std::size_t>(dat->set->index)] += dat->size * dat->on().global_size;
  for (const auto& map : maps_) {
    const Set* const target = record_of(map->to);
    if (ordering_set_ == nullptr || bytes[static_cast<std::size_t>(target->index)] >
                                        bytes[static_cast<std::size_t>(ordering_set_->index)])
      ordering_set_ = target;
  }
}

const Map* Mesh::ordering_map(const Set& set) const {
  const Map* followed = nullptr;
  for (const auto& map : maps_)
    if (map->from == &set && map->to == ordering_set_ && &set != ordering_set_ &&
        (followed == nullptr || map->dim > followed->dim))
      followed = map.get();
  return followed;
}

}  // namespace op2::core
