// SPDX-License-Identifier: BSD-3-Clause
#include <op2/par_loop.hpp>

#include <api/session.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

/// Nothing is read through handles here: `op_par_loop` checks them first, and then fills in what
/// the short forms leave open.
op_arg dat_arg(op_dat dat, int index, op_map map, int dim, const char* type, op_access access) {
  return {.argtype = OP_ARG_DAT,
          .acc = access,
          .value_type = Type::f64,
          .opt = 1,
          .dim = dim,
          .idx = index,
          .dat = dat,
          .map = map,
          .global = nullptr,
          .data = nullptr,
          .writable = true,
          .type = type};
}

}  // namespace

op_arg op_arg_dat(op_dat dat, int index, op_map map, int dim, const char* type, op_access access) {
  return dat_arg(dat, index, map, dim, type, access);
}

op_arg op_arg_dat(op_dat dat, op_access access) {
  return dat_arg(dat, -1, OP_ID, core::dim_as_declared, nullptr, access);
}

op_arg op_arg_dat(op_dat dat, int index, op_map map, op_access access) {
  return dat_arg(dat, index, map, core::dim_as_declared, nullptr, access);
}

op_arg op_opt_arg_dat(int flag, op_dat dat, int index, op_map map, int dim, const char* type,
                      op_access access) {
  op_arg arg = dat_arg(dat, index, map, dim, type, access);
  arg.opt = flag;
  return arg;
}

op_arg op2::detail::arg_gbl(const void* data, bool writable, int dim, const char* type,
                            Type value_type, op_access access) {
  return {.argtype = OP_ARG_GBL,
          .acc = access,
          .value_type = value_type,
          .opt = 1,
          .dim = dim,
          .idx = -1,
          .dat = nullptr,
          .map = nullptr,
          .global = nullptr,
          .data = const_cast<char*>(static_cast<const char*>(data)),
          .writable = writable,
          .type = type};
}

op_arg op_arg_gbl(op_global global, op_access access) {
  op_arg arg =
      op2::detail::arg_gbl(nullptr, true, core::dim_as_declared, nullptr, Type::f64, access);
  arg.global = global;
  return arg;
}

op_arg op_arg_idx(int index, op_map map) {
  return {.argtype = OP_ARG_IDX,
          .acc = OP_READ,
          .value_type = Type::i32,
          .opt = 1,
          .dim = 1,
          .idx = index,
          .dat = nullptr,
          .map = map,
          .global = nullptr,
          .data = nullptr,
          .writable = false,
          .type = nullptr};
}

void op2::detail::par_loop(op_kernel kernel, const op_loop_name& name, op_set set,
                           std::span<const op_arg> args) {
  auto& runtime = api::usable();
  core::check_loop(runtime.mesh, kernel, name, set, args);
  const bool forces = runtime.queue.push_loop(kernel, name, set, args);
  if (forces || runtime.queue.size() >= static_cast<std::size_t>(runtime.options.queue_max))
    runtime.flush();
}
