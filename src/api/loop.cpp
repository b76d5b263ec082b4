// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <op2/par_loop.hpp>

#include <api/session.hpp>
#include <core/mesh.hpp>
#include <core/validate.hpp>

using namespace op2;

// Handles are not dereferenced here: `op_par_loop` checks them first and then fills in what the
// short forms leave out.

op_arg op_arg_dat(op_dat dat, int index, op_map map, int dim, const char* type, op_access access) {
  return {.acc = access, .dim = dim, .idx = index, .dat = dat, .map = map, .type = type};
}

op_arg op_arg_dat(op_dat dat, op_access access) {
  return {.acc = access, .dim_as_declared = true, .dat = dat};
}

op_arg op_arg_dat(op_dat dat, int index, op_map map, op_access access) {
  return {.acc = access, .dim_as_declared = true, .idx = index, .dat = dat, .map = map};
}

op_arg op_opt_arg_dat(int flag, op_dat dat, int index, op_map map, int dim, const char* type,
                      op_access access) {
  op_arg arg = op_arg_dat(dat, index, map, dim, type, access);
  arg.opt = flag;
  arg.optional = true;
  return arg;
}

op_arg op2::detail::arg_gbl(const void* data, bool writable, int dim, const char* type,
                            Type value_type, op_access access) {
  return {.argtype = OP_ARG_GBL,
          .acc = access,
          .value_type = value_type,
          .dim = dim,
          .data = const_cast<char*>(static_cast<const char*>(data)),
          .writable = writable,
          .type = type};
}

op_arg op_arg_gbl(op_global global, op_access access) {
  return {.argtype = OP_ARG_GBL, .acc = access, .dim_as_declared = true, .global = global};
}

op_arg op_arg_idx(int index, op_map map) {
  return {.argtype = OP_ARG_IDX, .value_type = Type::i32, .idx = index, .map = map};
}

void op2::detail::par_loop(op_kernel kernel, const op_loop_name& name, op_set set,
                           std::span<const op_arg> args) {
  auto& runtime = api::usable("op_par_loop");
  core::check_loop(runtime.mesh, kernel, name, set, args);
  for (const auto& listener : runtime.measurements.listeners) listener->loop_called(name, args);
  if (runtime.options.reproducible) runtime.mesh.choose_ordering_set();
  const bool forces = runtime.queue.push_loop(kernel, name, set, args);
  const bool at_once = !runtime.options.queue_loops || std::ranges::any_of(args, core::is_opaque);
  if (forces || at_once || runtime.engine.must_run_now(kernel, runtime.mesh))
    runtime.flush();
  else
    runtime.flush_if_full();
  for (const auto& listener : runtime.measurements.listeners)
    listener->loop_returns(name, args, forces);
  if (!runtime.options.queue_loops) runtime.download_all_dats();
}
