// SPDX-License-Identifier: BSD-3-Clause
// Arguments and loops. Kernels are functions of the program.
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/op2.hpp>

#include <api/session.hpp>
#include <compat/dat_argument.hpp>
#include <compat/errors.hpp>
#include <compat/types.hpp>

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

/// The argument as the library knows it.
::op_arg converted(const arg& given) {
  ::op_arg made;
  made.argtype = static_cast<op_arg_type>(given.argtype);
  made.acc = static_cast<op_access>(given.acc);
  made.opt = given.opt;
  made.dim = given.dim;
  made.idx = given.idx;
  made.dat = given.dat;
  made.map = given.map;
  if (given.argtype == OP_ARG_IDX) made.value_type = Type::i32;
  if (fits_dat(given, made) || given.type == nullptr) return made;
  const Type type = type_of("argument of type", given.type, given.type);
  made.type = core::name_of(type);
  if (given.argtype == OP_ARG_DAT) return made;
  made.value_type = type;
  made.data = given.data;
  made.writable = true;
  return made;
}

}  // namespace

arg op_arg_dat(op_dat dat, int idx, op_map map, int dim, const char* type, int access) {
  return compat::op_opt_arg_dat(1, dat, idx, map, dim, type, access);
}

arg op_opt_arg_dat(int opt, op_dat dat, int idx, op_map map, int dim, const char* type,
                   int access) {
  arg made{};
  made.dat = dat;
  made.map = map;
  made.dim = dim;
  made.idx = idx;
  made.type = type;
  made.acc = access;
  made.argtype = OP_ARG_DAT;
  made.opt = opt;
  if (opt != 0 && dat != nullptr) {
    made.size = dat->size;
    made.data = dat->data;
    made.map_data = map == nullptr ? nullptr : map->map;
  }
  return made;
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
              const arg* args, int count) {
  guarded([&] {
    std::vector<::op_arg> list;
    for (int k = 0; k < count; ++k) list.push_back(converted(args[k]));
    core::Mesh& mesh = api::usable().mesh;
    const op_kernel known = &mesh.kernel_of_function(kernel.address, kernel.call, name, file, line);
    detail::par_loop(known, {name, file, line}, set, list);
  });
}

}  // namespace op2::compat
