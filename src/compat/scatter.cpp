// SPDX-License-Identifier: BSD-3-Clause
// Memory of the program, which `free` frees as well; buffers in it, and loops over them that write
// rows of dats by index.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/compat/op2_stubs.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/errors.hpp>
#include <core/arithmetic.hpp>
#include <core/clock.hpp>
#include <core/error.hpp>

namespace op2::compat {
namespace {

constexpr std::size_t alignment = 64;

/// Memory that `op_free` frees.
char* copy_of(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  char* const copy = static_cast<char*>(op_malloc(bytes));
  return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, text, bytes));
}

/// The memory of an argument.
struct RowsOfArg {
  char* base;         ///< of row 0, or of the value that all elements share
  std::int64_t size;  ///< bytes of a row; 0: all elements share the value
  int column;         ///< of the buffer of indices
  const core::Dat* dat;
};

RowsOfArg place_of(const char* loop, const buffer& numbers, const arg& given) {
  if (given.opt == 0) return {nullptr, 0, 0, nullptr};
  if (given.argtype == OP_ARG_GBL) return {given.data, 0, 0, nullptr};
  if (given.argtype != OP_ARG_DAT || given.map != nullptr)
    not_supported("op_par_scatter",
                  "an argument of another kind; pass globals, and dats with OP_ID whose row "
                  "indices are in the second buffer");
  core::check_handle(api::usable().mesh, fmt::format("op_par_scatter '{}': a dat", loop),
                     given.dat);
  const int column = std::max(given.idx, 0);
  if (column >= numbers.dim)
    core::fail(ErrorCode::bad_map_index,
               "the column is out of range: op_par_scatter '{}', dat '{}' takes column {} of "
               "buffer '{}' of dim {}; use one of its columns",
               loop, given.dat->name, column, numbers.name, numbers.dim);
  core::Dat& dat = *core::record_of(given.dat);
  char* const rows = reinterpret_cast<char*>(dat.rows.host_write().get());
  return {rows, dat.size, column, &dat};
}

/// @param element  position in the buffers
char* row_of(const char* loop, const buffer& numbers, std::int64_t element,
             const RowsOfArg& place) {
  if (place.size == 0) return place.base;
  const int row = reinterpret_cast<const int*>(numbers.data)[element * numbers.dim + place.column];
  if (row < 0 || row >= place.dat->on().rows())
    core::fail(ErrorCode::map_out_of_range,
               "a row is out of range: op_par_scatter '{}', '{}'[{}][{}] = {}, but dat '{}' has {} "
               "rows here; check the row indices",
               loop, numbers.name, element, place.column, row, place.dat->name_storage,
               place.dat->on().rows());
  return place.base + row * place.size;
}

void check_buffers(const char* loop, const buffer* values, const buffer* numbers) {
  if (values == nullptr || numbers == nullptr)
    core::fail(ErrorCode::bad_handle,
               "a buffer is null: op_par_scatter '{}'; create it by op_create_buff", loop);
  if (type_of(fmt::format("buffer '{}'", numbers->name), numbers->type) != Type::i32)
    core::fail(ErrorCode::bad_type,
               "wrong type: op_par_scatter '{}', buffer '{}' of row indices, \"{}\"; create it "
               "with type \"int\"",
               loop, numbers->name, numbers->type);
  if (numbers->size < values->size)
    core::fail(ErrorCode::bad_size,
               "too few row indices: op_par_scatter '{}', buffer '{}' has {} elements, fewer than "
               "the {} of '{}'; create both with one size",
               loop, numbers->name, numbers->size, values->size, values->name);
}

void scatter(const function& kernel, const char* name, const buffer& values, const buffer& numbers,
             std::vector<arg>& args) {
  api::usable().flush();
  std::vector<RowsOfArg> places;
  for (const arg& given : args) places.push_back(place_of(name, numbers, given));
  std::vector<char*> pointers(args.size() + 1);
  for (std::int64_t k = 0; k < values.size; ++k) {
    pointers[0] = values.data + k * values.dim * values.elem_size;
    for (std::size_t n = 0; n < places.size(); ++n)
      pointers[n + 1] = row_of(name, numbers, k, places[n]);
    kernel.call(kernel.address, pointers.data());
  }
  op_mpi_set_dirtybit(static_cast<int>(args.size()), args.data());
}

}  // namespace

void* op_malloc(unsigned long size) {
  if (size > SIZE_MAX - alignment) return nullptr;
  return std::aligned_alloc(alignment, core::round_up(size, alignment));
}
void* op_calloc(unsigned long count, unsigned long size) {
  unsigned long bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* const memory = compat::op_malloc(bytes);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}
void* op_realloc(void* memory, unsigned long size) {
  void* const longer = std::realloc(memory, size);
  if (reinterpret_cast<std::uintptr_t>(longer) % alignment == 0) return longer;  // null, too
  void* const aligned = compat::op_malloc(size);
  if (aligned != nullptr) std::memcpy(aligned, longer, size);
  std::free(longer);
  return aligned;
}
void op_free(void* memory) {
  std::free(memory);
}

buffer* op_create_buff(const char* name, const char* type, int size, int dim) {
  return guarded([&] {
    core::check_name("op_create_buff", name);
    core::check_dim("buffer", name, dim);
    if (size < 0)
      core::fail(ErrorCode::bad_size, "negative size: buffer '{}', {} elements; give their number",
                 name, size);
    const auto bytes =
        static_cast<int>(core::size_of(type_of(fmt::format("buffer '{}'", name), type)));
    auto* const made = static_cast<buffer*>(op_calloc(1, sizeof(buffer)));
    auto* const data = static_cast<char*>(op_calloc(static_cast<unsigned long>(std::max(size, 1)),
                                                    static_cast<unsigned long>(dim) * bytes));
    if (made == nullptr || data == nullptr)
      core::fail(ErrorCode::out_of_memory,
                 "out of memory: buffer '{}', {} x {} values; use a smaller one", name, size, dim);
    *made = {size, dim, bytes, data, nullptr, copy_of(type), copy_of(name), 0};
    return made;
  });
}
void op_free_buff(buffer* made) {
  if (made == nullptr) return;
  op_free(made->data);
  op_free(const_cast<char*>(made->type));
  op_free(const_cast<char*>(made->name));
  op_free(made);
}
void op_buff_upload(buffer*) {}
void op_buff_download(buffer*) {}

void par_scatter(const function& kernel, const char* name, const buffer* values,
                 const buffer* numbers, const arg* const* args, int count) {
  guarded([&] {
    check_buffers(name, values, numbers);
    std::vector<arg> list;
    for (int k = 0; k < count; ++k) list.push_back(*args[k]);
    const auto begin = core::Clock::now();
    scatter(kernel, name, *values, *numbers, list);
    op_mpi_perf_time(name, core::seconds_since(begin));
  });
}

}  // namespace op2::compat
