// SPDX-License-Identifier: BSD-3-Clause
// Arguments and loops. Kernels are functions of the program.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <type_traits>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/embedded.hpp>
#include <compat/errors.hpp>
#include <core/validate.hpp>

namespace op2::compat {
namespace {

arg global(int opt, char* data, int dim, const char* type, int size, int access) {
  arg made{};
  made.data = data;
  made.dim = dim;
  made.idx = -1;
  made.size = dim * size;
  made.type = type;
  made.acc = access;
  made.argtype = OP_ARG_GBL;
  made.opt = data == nullptr ? 0 : opt;
  return made;
}

arg of_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type, int access) {
  const bool is_there = opt != 0 && dat != nullptr;
  // Every member is named: otherwise all are cleared first, which costs more than the rest.
  return {.index = 0,
          .dat = dat,
          .map = map,
          .dim = dim,
          .idx = idx,
          .size = is_there ? dat->size : 0,
          .data = is_there ? dat->data : nullptr,
          .data_d = nullptr,
          .map_data = is_there && map != nullptr ? map->map : nullptr,
          .map_data_d = nullptr,
          .type = type,
          .acc = access,
          .argtype = OP_ARG_DAT,
          .sent = 0,
          .opt = opt};
}

/// An argument of a loop, for messages.
struct Place {
  const op_loop_name& loop;
  int number;

  Type type_of(const char* type) const {
    const auto known = type != nullptr ? type_named(type) : std::nullopt;
    return known ? *known : compat::type_of(core::argument_site(loop, number), type);
  }
};

/// Where OP2 is lenient with arguments that contradict their dat: gives an argument the dim of its
/// dat, with a warning if it has another one, and accepts any type string for a dat of opaque rows.
/// @param number  of the argument in `loop`
/// @return whether the type needs no further check
bool fits_dat(const arg& given, ::op_arg& made, const op_loop_name& loop, int number) {
  if (given.argtype != OP_ARG_DAT || given.opt == 0) return false;
  api::Runtime& runtime = api::usable();
  if (!runtime.mesh.knows(given.dat)) return false;
  const core::Dat& dat = *core::record_of(given.dat);
  if (given.dim != dat.dim)
    runtime.log.warning_once(
        fmt::format("dim {} of {}", given.dim, dat.name_storage),
        fmt::format("{}: dim {}, but dat '{}' has {}; the kernel gets whole rows",
                    core::argument_site(loop, number), given.dim, dat.name_storage, dat.dim));
  made.dim = dat.dim;
  return dat.opaque;
}

/// Type and number of values, if the argument's differ from its dat's.
void add_form(const arg& given, ::op_arg& made, const Place& place) {
  const bool is_as_declared = given.dat != nullptr && given.dim == given.dat->dim &&
                              given.type != nullptr &&
                              std::strcmp(given.type, given.dat->type) == 0;
  made.dim_as_declared = is_as_declared;
  if (is_as_declared) return;
  made.dim = given.dim;
  if (fits_dat(given, made, place.loop, place.number) || given.type == nullptr) return;
  made.type = core::name_of(place.type_of(given.type));
}

/// A value of a user-defined type, which only host functions read.
bool is_opaque_global(const arg& given) {
  return given.argtype == OP_ARG_GBL && given.acc == OP_READ && given.type != nullptr &&
         given.size > 0 && !type_named(given.type);
}

/// The argument as the library knows it. Filled in place: copying what was just written member by
/// member costs more than the rest.
void convert(const arg& given, ::op_arg& made, const Place& place) {
  made.argtype = static_cast<op_arg_type>(given.argtype);
  made.acc = static_cast<op_access>(given.acc);
  made.opt = given.opt;
  made.idx = given.idx;
  made.dat = given.dat;
  made.map = given.map;
  if (given.argtype == OP_ARG_DAT) {
    add_form(given, made, place);
    return;
  }
  const bool is_opaque = is_opaque_global(given);
  made.dim = is_opaque ? given.size : given.dim;
  if (given.argtype == OP_ARG_IDX)
    made.value_type = Type::i32;
  else
    made.value_type = is_opaque ? Type::b8 : place.type_of(given.type);
  made.data = given.data;
  made.writable = true;
}

/// @param args  [count]
/// @return      [count], as long as `memory`
std::span<::op_arg> converted(const arg* const* args, int count, const op_loop_name& loop,
                              std::pmr::memory_resource& memory) {
  static_assert(std::is_trivially_destructible_v<::op_arg>);
  const auto size = static_cast<std::size_t>(count);
  ::op_arg* const list = std::pmr::polymorphic_allocator<>(&memory).allocate_object<::op_arg>(size);
  for (int k = 0; k < count; ++k) {
    // `convert` sets every member; `op_arg()` would clear all of them before.
    auto* made = new (list + k)::op_arg;
    convert(*args[k], *made, {loop, k});
  }
  return {list, size};
}

/// @param found  the embedded kernel, or null
void add_facts(core::FunctionKernel& kernel, const embedded::Kernel* found) {
  if (found == nullptr || found->facts == nullptr) return;
  kernel.facts_storage = found->facts;
  kernel.facts = kernel.facts_storage.c_str();
}

/// @param must_be_function  its source cannot be used
core::FunctionKernel& made_known(core::Mesh& mesh, const function& kernel, const op_loop_name& loop,
                                 bool must_be_function) {
  const embedded::Kernel* found = embedded_kernel(kernel.address);
  if (found == nullptr || found->source == nullptr || must_be_function) {
    core::FunctionKernel& alone =
        mesh.add_function_kernel(kernel.address, kernel.call, loop.name, "", loop.file, loop.line);
    add_facts(alone, found);
    alone.why_no_source = must_be_function   ? "a global has a user-defined type"
                          : found == nullptr ? "its source is not embedded in the program"
                                             : found->reason;
    return alone;
  }
  core::FunctionKernel& made = mesh.add_function_kernel(kernel.address, kernel.call, found->name,
                                                        found->source, found->file, found->line);
  add_facts(made, found);
  for (int k = 0; k < found->constant_count; ++k) {
    const embedded::Constant& constant = found->constants[k];
    made.variables.push_back(
        {constant.name, constant.declaration, &mesh.variable_at(constant.address, constant.size)});
  }
  return made;
}

/// Whether the program says, by OP2's flags, that it has written the rows itself.
bool is_marked(const core::Mesh& mesh, const arg& given) {
  return given.argtype == OP_ARG_DAT && given.opt != 0 && given.dat != nullptr &&
         (given.dat->dirtybit != 0 || given.dat->dirty_hd != 0) && mesh.knows(given.dat);
}

/// Rejects a loop without a name or a kernel.
[[noreturn]] void refuse(const op_loop_name& loop) {
  core::check_name(fmt::format("a loop at {}:{}", shown(loop.file), loop.line).c_str(), loop.name);
  core::fail(ErrorCode::bad_handle, "the kernel is null: loop '{}' ({}:{}); pass its function",
             loop.name, loop.file, loop.line);
}

/// A loop uses the values that variables of the program have at its call. If some have changed,
/// queued loops that use the earlier values are executed first.
void take_values(api::Runtime& runtime, const core::FunctionKernel& kernel) {
  const auto has_changed = [](const core::NamedVariable& named) {
    return named.variable->has_changed();
  };
  if (std::ranges::none_of(kernel.variables, has_changed)) return;
  runtime.flush();
  for (const core::NamedVariable& named : kernel.variables)
    std::memcpy(named.variable->value.get(), named.variable->origin, named.variable->bytes);
}

}  // namespace

arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char* type, int access) {
  return of_dat(1, dat, idx, map, dim, type, access);
}
arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type,
                   int access) {
  return of_dat(opt, dat, idx, map, dim, type, access);
}

arg op_arg_gbl_char(char* data, int dim, const char* type, int size, int access) {
  return global(1, data, dim, type, size, access);
}
arg op_opt_arg_gbl_char(int opt, char* data, int dim, const char* type, int size, int access) {
  return global(opt, data, dim, type, size, access);
}
arg op_arg_info_char(char* data, int dim, const char* type, int size, int reference) {
  arg made = global(1, data, dim, type, size, OP_WRITE);
  made.argtype = OP_ARG_INFO;
  made.idx = reference;
  return made;
}
arg op_arg_idx(int idx, op_map map) {
  arg made{};
  made.map = map;
  made.dim = 1;
  made.idx = idx;
  made.acc = OP_READ;
  made.argtype = OP_ARG_IDX;
  made.opt = 1;
  return made;
}

void par_loop(const function& kernel, const char* name, const char* file, int line, op_set set,
              const arg* const* args, int count) {
  guarded([&] {
    const op_loop_name loop(name, file, line);
    if (name == nullptr || kernel.address == nullptr) refuse(loop);
    // Enough for the usual loop: allocating costs as much as the rest.
    alignas(::op_arg) std::array<std::byte, 32 * sizeof(::op_arg)> usual;
    std::pmr::monotonic_buffer_resource memory(usual.data(), usual.size());
    const std::span list = converted(args, count, loop, memory);
    api::Runtime& runtime = api::usable("op_par_loop");
    for (int k = 0; k < count; ++k)
      if (is_marked(runtime.mesh, *args[k])) op_upload_dat(args[k]->dat);
    core::FunctionKernel* known = runtime.mesh.kernel_of_function(kernel.address);
    if (known == nullptr) {
      const auto is_opaque = [](const arg* given) { return is_opaque_global(*given); };
      known = &made_known(runtime.mesh, kernel, loop, std::any_of(args, args + count, is_opaque));
    }
    take_values(runtime, *known);
    detail::par_loop(known, loop, set, list);
  });
}

}  // namespace op2::compat
