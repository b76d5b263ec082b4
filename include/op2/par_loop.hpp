// SPDX-License-Identifier: BSD-3-Clause
// Loops and their arguments. Arguments are checked at the call, except for what depends on data;
// the loop is queued and executed at the next force point (docs/queue.md lists them).
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <op2/kernel.hpp>
#include <op2/lengths.hpp>
#include <op2/types.hpp>

/// One argument of a loop. Fields may be read; create arguments with the functions below.
struct op_arg {
  op_arg_type argtype = OP_ARG_DAT;
  op_access acc = OP_READ;
  op2::Type value_type = op2::Type::f64;  ///< of a raw global or an index
  int opt = 1;  ///< 0: the argument is off; the kernel gets a null pointer
  int dim = 1;
  bool dim_as_declared = false;  ///< short forms: `dim` is that of the dat
  int idx = -1;                  ///< column of the map; -1: direct
  op_dat dat = nullptr;
  op_map map = nullptr;
  op_global global = nullptr;  ///< lazy global, or null
  char* data = nullptr;        ///< raw global: memory of the program
  bool writable = false;       ///< raw global: the pointer is non-const
  const char* type = nullptr;  ///< type string given by the caller, or null
  bool optional = false;       ///< created with a flag: it may be off in other calls
};

/// Accesses `dat` directly or through a map. Local; checked by op_par_loop.
/// @param index   column of `map`, from 0; -1: direct. -n, n > 1, makes a vector argument: the
///                kernel gets an array of n pointers, to the rows in columns 0 .. n - 1
/// @param map     from the set of the loop to that of `dat`; OP_ID: direct
/// @param dim, type  those of the declaration, which they repeat
/// @param access  how the kernel uses the row
OP2_API op_arg op_arg_dat(op_dat dat, int index, op_map map, int dim, const char* type,
                          op_access access);

/// The same with dim and type of the dat.
OP2_API op_arg op_arg_dat(op_dat dat, op_access access);
OP2_API op_arg op_arg_dat(op_dat dat, int index, op_map map, op_access access);

/// The same, used only if `flag` is not 0. With 0 the kernel gets null, and `dat` and `map` may be
/// null.
OP2_API op_arg op_opt_arg_dat(int flag, op_dat dat, int index, op_map map, int dim,
                              const char* type, op_access access);

namespace op2::detail {
OP2_API op_arg arg_gbl(const void* data, bool writable, int dim, const char* type, Type value_type,
                       op_access access);
}

/// A raw global, memory of the program: OP_READ values are copied at the call; OP_INC, OP_MIN,
/// OP_MAX and OP_WRITE are complete when `op_par_loop` returns, so they end the chain of loops.
/// @param data  shape [dim], at most 16 MiB; a pointer to const can only be OP_READ
/// @param dim   values that the kernel gets
/// @param type  of the values, e.g. "double": must name T
/// @param access  OP_READ, OP_WRITE, OP_INC, OP_MIN or OP_MAX
template <op2::Value T>
op_arg op_arg_gbl(T* data, int dim, const char* type, op_access access) {
  return op2::detail::arg_gbl(data, true, dim, type, op2::type_of<T>(), access);
}
template <op2::Value T>
op_arg op_arg_gbl(const T* data, int dim, const char* type, op_access access) {
  return op2::detail::arg_gbl(data, false, dim, type, op2::type_of<T>(), access);
}
/// The same for a container, whose length is checked.
/// @throws op2::Error bad_size, null_data
template <op2::LastingArray C>
op_arg op_arg_gbl(C&& data, int dim, const char* type, op_access access) {
  op2::detail::check_length("op_arg_gbl", "argument of type", type, dim, op2::detail::given(data));
  return op_arg_gbl(std::data(data), dim, type, access);
}

/// A raw global that is used only if `flag` is not 0; with 0, `data` may be null.
template <class T>
op_arg op_opt_arg_gbl(int flag, T* data, int dim, const char* type, op_access access) {
  op_arg arg = op_arg_gbl(data, dim, type, access);
  arg.opt = flag;
  arg.optional = true;
  return arg;
}
template <op2::LastingArray C>
op_arg op_opt_arg_gbl(int flag, C&& data, int dim, const char* type, op_access access) {
  if (flag != 0)
    op2::detail::check_length("op_opt_arg_gbl", "argument of type", type, dim,
                              op2::detail::given(data));
  return op_opt_arg_gbl(flag, std::data(data), dim, type, access);
}

/// The payload of a minimum or maximum (argmin, argmax), such as the index of its element: the
/// kernel writes it where it replaces the value of argument `reference`, a raw global of dim 1 with
/// OP_MIN or OP_MAX. The result belongs to the extreme value over all elements and ranks; of equal
/// ones, to the lowest global index. Kernels of the usual form (docs/kernels.md) run on all
/// threads, in vectors and on GPUs; with another one the loop runs in order on one thread of each
/// rank, and is an error (order_dependent) in the reproducible mode on several ranks.
/// @param data       shape [dim]
/// @param dim, type  of the payload, as of op_arg_gbl
/// @param reference  position of the argument of the minimum or maximum in the loop, from 0
template <op2::Value T>
op_arg op_arg_info(T* data, int dim, const char* type, int reference) {
  op_arg arg = op_arg_gbl(data, dim, type, OP_WRITE);
  arg.argtype = OP_ARG_INFO;
  arg.idx = reference;
  return arg;
}
template <op2::WritableArray C>
op_arg op_arg_info(C&& data, int dim, const char* type, int reference) {
  op2::detail::check_length("op_arg_info", "argument of type", type, dim, op2::detail::given(data));
  return op_arg_info(std::data(data), dim, type, reference);
}

/// A lazy global, in order with the queued loops. Local.
/// @param access  OP_READ, OP_INC, OP_MIN or OP_MAX
OP2_API op_arg op_arg_gbl(op_global global, op_access access);

/// An index in the order of the declaration, over all ranks, which the kernel gets as `const int*`:
/// that of the element, or of a target. Local.
/// @param index  column of `map`, from 0; -1: of the element
/// @param map    from the set of the loop; OP_ID: of the element
OP2_API op_arg op_arg_idx(int index, op_map map);

/// The name of a loop, with the file and line of the call.
struct op_loop_name {
  const char* name;
  const char* file;
  int line;
  /// Implicit, so that a string literal converts; file and line default to the call site.
  op_loop_name(const char* text, const char* call_file = __builtin_FILE(),
               int call_line = __builtin_LINE())
      : name(text), file(call_file), line(call_line) {}
};

namespace op2::detail {
OP2_API void par_loop(op_kernel kernel, const op_loop_name& name, op_set set,
                      std::span<const op_arg> args);
}

/// Queues `kernel` for every element of `set`. Collective. Arguments are checked here.
/// @param kernel  of OP_KERNEL or op_decl_kernel
/// @param name    of the loop, in tables and messages: a string literal
/// @param args    one for each parameter of the kernel, in their order
/// @throws op2::Error bad_name, bad_handle, wrong_set, bad_map_index, bad_access, bad_dim,
/// bad_type, null_data, too_large, kernel_signature, conflicting_args; if a reduction of a raw
/// global or a full queue forces the execution: what executing loops may throw
template <std::same_as<op_arg>... Args>
void op_par_loop(op_kernel kernel, op_loop_name name, op_set set, Args... args) {
  const op_arg list[] = {args..., op_arg{}};
  op2::detail::par_loop(kernel, name, set, {list, sizeof...(args)});
}
template <class... P, std::same_as<op_arg>... Args>
void op_par_loop(const op2::TypedKernel<P...>& kernel, op_loop_name name, op_set set,
                 Args... args) {
  static_assert(sizeof...(P) == sizeof...(Args),
                "one loop argument for each parameter of the kernel");
  op_par_loop(static_cast<op_kernel>(kernel), name, set, args...);
}

/// What is not a kernel: says what to write.
template <op2::NoKernel K, class... Args>
void op_par_loop(const K&, op_loop_name, op_set, Args...) {
  static_assert(
      std::is_same_v<K, void>,
      "op2: a kernel is not a function or lambda, of which the library would not have the "
      "source: define it by OP_KERNEL(name, (parameters), { body }) at namespace scope, or "
      "call op_decl_kernel");
}

/// The same with the arguments in an array, whose length may be known only at run time.
inline void op_par_loop(op_kernel kernel, op_loop_name name, op_set set,
                        std::span<const op_arg> args) {
  op2::detail::par_loop(kernel, name, set, args);
}
