// SPDX-License-Identifier: BSD-3-Clause
#include <compat/dat_argument.hpp>

#include <api/session.hpp>
#include <core/validate.hpp>

namespace op2::compat {

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

}  // namespace op2::compat
