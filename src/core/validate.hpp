// SPDX-License-Identifier: BSD-3-Clause
// Checks of declarations and calls: every error that can be found without the data of a dat. Each
// function throws op2::Error at the faulty call, before anything is changed.
#pragma once

#include <span>
#include <string>

#include <op2/error.hpp>
#include <op2/par_loop.hpp>

#include <core/error.hpp>
#include <core/mesh.hpp>
#include <core/value_type.hpp>

namespace op2::core {

inline constexpr int max_dim = 65536;
/// Of a raw global: its values are copied at each call, and each thread has separate results.
inline constexpr std::size_t max_global_bytes = std::size_t{16} << 20;

void check_name(const char* what, const char* name);
/// Throws bad_name if the path of a file is null or empty.
void check_path(const char* function, const char* path);
/// Throws `code` unless the name is an identifier that generated code can use.
void check_identifier(const char* what, const char* name, ErrorCode code);
void check_dim(const char* what, const char* name, int dim);

/// The type that a type string names.
/// @param what  "dat 'q'", for the message
/// @throws Error bad_type: unknown
Type check_type_name(const std::string& what, const char* type);

/// Whether a checked argument has rows that only the program can read.
inline bool is_opaque(const op_arg& arg) {
  return arg.argtype == OP_ARG_DAT && arg.opt != 0 && record_of(arg.dat)->is_untyped();
}

/// Whether an argument that is on is memory of the program.
inline bool is_raw_global(const op_arg& arg) {
  return arg.opt != 0 && arg.global == nullptr &&
         (arg.argtype == OP_ARG_GBL || arg.argtype == OP_ARG_INFO);
}

/// Throws bad_type unless the type string is null or names `value_type`.
void check_type(const char* what, const char* name, const char* type, Type value_type);

/// Throws bad_handle.
/// @param handle  null, or unknown
[[noreturn]] void refuse_handle(const std::string& what, const void* handle);

/// Throws null_data if one of the words after the program's name is null. argv may be null if there
/// are none.
void check_words(const char* function, int argc, char** argv);

/// Throws bad_handle unless the handle belongs to this session.
/// @param what  as in "loop 'flux' (flow.cpp:12) arg 1: the map", for the message
template <class Handle>
void check_handle(const Mesh& mesh, const std::string& what, Handle handle) {
  if (handle == nullptr) refuse_handle(what, nullptr);
  if (!mesh.knows(handle)) refuse_handle(what, handle);
}

/// Throws unless all entries are in [0, to->size); names the first wrong one and counts them.
void check_map_values(op_set from, op_set to, int dim, const int* values, const char* name);

/// Type and dim of an argument, from the declarations if it leaves them out. Precondition: the
/// handles were checked.
inline Type type_of(const op_arg& arg) {
  if (arg.argtype == OP_ARG_DAT && arg.dat != nullptr) return record_of(arg.dat)->value_type;
  if (arg.opt == 0 && arg.type != nullptr) return type_named(arg.type).value_or(Type::f64);
  return arg.global != nullptr ? record_of(arg.global)->value_type : arg.value_type;
}
inline int dim_of(const op_arg& arg) {
  if (!arg.dim_as_declared) return arg.dim;
  return arg.global != nullptr ? arg.global->dim : arg.dat->dim;
}

/// "loop 'flux' (main.cpp:12) arg 3", for messages.
/// @param arg  negative: the loop alone
std::string argument_site(const op_loop_name& loop, int arg);

/// Checks a call of `op_par_loop`.
void check_loop(const Mesh& mesh, op_kernel kernel, const op_loop_name& name, op_set set,
                std::span<const op_arg> args);

}  // namespace op2::core
