// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <core/access.hpp>
#include <core/counted.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

/// Where a mistake is: the loop, its call site and, once known, the position of the argument.
struct Place {
  const op_loop_name& loop;
  int arg = -1;

  Place at(std::size_t position) const { return {loop, static_cast<int>(position)}; }

  std::string text() const { return text_of_place(loop, arg); }

  /// @param what    is wrong
  /// @param format  the numbers, and what to do
  template <class... Args>
  [[noreturn]] void fail(ErrorCode code, const char* what, fmt::format_string<Args...> format,
                         Args&&... args) const {
    core::fail(code, "{}: {}, {}", what, text(), fmt::format(format, std::forward<Args>(args)...));
  }
};

template <class Handle>
void check_arg_handle(const Mesh& mesh, const Place& place, const char* what, Handle handle) {
  if (handle != nullptr && mesh.knows(handle)) return;  // formats no text for the usual case
  check_handle(mesh, fmt::format("{}: the {}", place.text(), what), handle);
}

/// The columns that an argument through a map can have.
std::string columns_of(op_map map, bool may_be_vector) {
  const std::string one = map->dim == 1 ? "0" : fmt::format("one of 0 .. {}", map->dim - 1);
  if (!may_be_vector || map->dim < 2) return one;
  return map->dim == 2
             ? one + ", or -2 for both columns at once"
             : fmt::format("{}, or -n for the first n columns at once, n = 2 .. {}", one, map->dim);
}

/// Set, map and column of an argument that goes through `arg.map`, or directly.
/// @param dat  null for an index argument
void check_path(const Mesh& mesh, const Place& place, const op_arg& arg, op_set set,
                const Dat* dat) {
  if (arg.map == OP_ID) {
    if (arg.idx != -1)
      place.fail(
          ErrorCode::bad_map_index, "the map is null",
          "index {}; pass a declared map, or OP_ID and index -1 to access the element itself",
          arg.idx);
    if (dat != nullptr && dat->set != set)
      place.fail(
          ErrorCode::wrong_set, "wrong set",
          "dat '{}' is on set '{}', but the loop runs over set '{}'; access it through a map",
          dat->name_storage, dat->set->name, set->name);
    return;
  }
  check_arg_handle(mesh, place, "map", arg.map);
  const op_map map = arg.map;
  const bool is_vector = dat != nullptr && arg.idx <= -2 && arg.idx >= -map->dim;
  if (!is_vector && (arg.idx < 0 || arg.idx >= map->dim))
    place.fail(ErrorCode::bad_map_index, "the index is out of range",
               "index {} for map '{}' of arity {}; use {}", arg.idx, map->name, map->dim,
               columns_of(map, dat != nullptr));
  if (map->from != set)
    place.fail(
        ErrorCode::wrong_set, "wrong set",
        "map '{}' is from set '{}', but the loop runs over set '{}'; use a map from that set",
        map->name, map->from->name, set->name);
  if (dat != nullptr && map->to != dat->set)
    place.fail(ErrorCode::wrong_set, "wrong set",
               "map '{}' is to set '{}', but dat '{}' is on set '{}'; use a map to that set",
               map->name, map->to->name, dat->name_storage, dat->set->name);
}

/// @param dat  whose type it is; null: that of a global
void check_stated_type(const Place& place, const Dat* dat, const char* stated, Type actual) {
  if (stated == nullptr || type_named(stated) == actual) return;
  check_type_name(place.text(), stated);
  const std::string what =
      dat != nullptr ? fmt::format("dat '{}'", dat->name_storage) : "data of a global";
  place.fail(ErrorCode::bad_type, "wrong type", "\"{0}\" for {1} of type \"{2}\"; write \"{2}\"",
             stated, what, core::name_of(actual));
}

bool is_known(op_access access) {
  return access >= OP_READ && access <= OP_MAX;
}

void check_dat_arg(const Mesh& mesh, const Place& place, const op_arg& arg, op_set set) {
  check_arg_handle(mesh, place, "dat", arg.dat);
  const Dat& dat = *record_of(arg.dat);
  if (!is_known(arg.acc))
    place.fail(ErrorCode::bad_access, "wrong access mode",
               "{} of dat '{}'; use OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN or OP_MAX",
               name_of(arg.acc), dat.name_storage);
  check_path(mesh, place, arg, set, &dat);
  if (dim_of(arg) != dat.dim)
    place.fail(ErrorCode::bad_dim, "wrong dim", "dim {0} for dat '{1}' of dim {2}; write {2}",
               arg.dim, dat.name_storage, dat.dim);
  if (dat.opaque) return;
  check_stated_type(place, &dat, arg.type, dat.value_type);
}

void check_global_arg(const Mesh& mesh, const Place& place, const op_arg& arg) {
  const bool is_set = arg.acc == OP_WRITE && arg.global == nullptr;
  if (!is_set && (arg.acc == OP_WRITE || arg.acc == OP_RW || !is_known(arg.acc)))
    place.fail(ErrorCode::bad_access, "wrong access mode",
               "{} of a global; use OP_READ, OP_INC, OP_MIN or OP_MAX{}", name_of(arg.acc),
               arg.global == nullptr ? ", or OP_WRITE" : "");
  if (arg.global == nullptr && arg.data == nullptr)
    place.fail(ErrorCode::null_data, "the pointer is null",
               "a global must have an address; pass it");
  if (arg.global != nullptr) check_arg_handle(mesh, place, "global", arg.global);
  if (dim_of(arg) < 1)
    place.fail(ErrorCode::bad_dim, "dim is out of range",
               "dim {} of the global; give it at least one value", dim_of(arg));
  check_stated_type(place, nullptr, arg.type, type_of(arg));
  if (arg.global != nullptr) return;
  if (!arg.writable && arg.acc != OP_READ)
    place.fail(ErrorCode::bad_access, "wrong access mode",
               "{} of a global through a pointer to const; pass a pointer to non-const",
               name_of(arg.acc));
  const std::size_t bytes = size_of(arg.value_type, arg.dim);
  if (bytes > max_global_bytes)
    place.fail(ErrorCode::too_large, "the global is too large", "{} bytes, more than {}; use a dat",
               bytes, max_global_bytes);
}

/// An argument that is off has no data, but must still be consistent.
void check_arg_that_is_off(const Mesh& mesh, const Place& place, const op_arg& arg) {
  if (!is_known(arg.acc))
    place.fail(ErrorCode::bad_access, "wrong access mode",
               "{}; use OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN or OP_MAX", name_of(arg.acc));
  if (arg.dim < 1 || arg.dim > max_dim)
    place.fail(ErrorCode::bad_dim, "dim is out of range",
               "{} is outside 1 .. {}; give the dim of "
               "the dat that may be passed",
               arg.dim, max_dim);
  if (arg.dat != nullptr) check_arg_handle(mesh, place, "dat", arg.dat);
  if (arg.type != nullptr)
    check_type_name(place.text(), arg.type);
  else if (arg.argtype == OP_ARG_DAT && arg.dat == nullptr)
    place.fail(ErrorCode::bad_type, "no type",
               "it is off and has no dat; give it a type string, e.g. \"double\"");
}

void check_arg(const Mesh& mesh, const Place& place, const op_arg& arg, op_set set) {
  if (arg.opt == 0) return check_arg_that_is_off(mesh, place, arg);
  switch (arg.argtype) {
    case OP_ARG_DAT:
      return check_dat_arg(mesh, place, arg, set);
    case OP_ARG_GBL:
      return check_global_arg(mesh, place, arg);
    case OP_ARG_IDX:
      return check_path(mesh, place, arg, set, nullptr);
    case OP_ARG_INFO:
      return check_global_arg(mesh, place, arg);
  }
  place.fail(ErrorCode::internal, "unknown kind of argument",
             "{}; make it by a function, e.g. op_arg_dat", static_cast<int>(arg.argtype));
}

/// An argument that is no extreme with a payload.
std::string words_for(const op_arg& arg) {
  if (arg.opt == 0) return "off";
  if (arg.argtype == OP_ARG_IDX) return "an index";
  if (arg.argtype == OP_ARG_INFO) return "a payload";
  if (arg.argtype == OP_ARG_DAT) return fmt::format("a dat with {}", name_of(arg.acc));
  return fmt::format("a {} of dim {} with {}", arg.global != nullptr ? "lazy global" : "global",
                     dim_of(arg), name_of(arg.acc));
}

/// The extreme that each OP_ARG_INFO refers to.
void check_references(const Place& loop, std::span<const op_arg> args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    const op_arg& arg = args[k];
    if (arg.argtype != OP_ARG_INFO) continue;
    if (arg.idx < 0 || arg.idx >= std::ssize(args))
      loop.at(k).fail(
          ErrorCode::bad_access, "the payload has no argument",
          "the last value of op_arg_info is {}, but the arguments have the numbers 0 .. "
          "{}; give that of the OP_MIN or OP_MAX that the payload belongs to",
          arg.idx, args.size() - 1);
    const op_arg& other = args[arg.idx];
    const bool fits = other.argtype == OP_ARG_GBL && other.global == nullptr && other.opt != 0 &&
                      (other.acc == OP_MIN || other.acc == OP_MAX) && other.dim == 1;
    if (!fits)
      loop.at(k).fail(ErrorCode::bad_access, "the payload has a wrong argument",
                      "the last value of op_arg_info is {}, but arg {} is {}; give the number of "
                      "the op_arg_gbl "
                      "with a pointer, dim 1 and OP_MIN or OP_MAX that the payload belongs to",
                      arg.idx, arg.idx, words_for(other));
  }
}

/// Whether two arguments with the same map access the same columns.
bool share_columns(const op_arg& a, const op_arg& b) {
  if (a.map == OP_ID || (a.idx < 0 && b.idx < 0)) return true;
  return a.idx == b.idx || a.idx < -b.idx || b.idx < -a.idx;
}

/// Two arguments that write the same memory.
bool conflict(const op_arg& a, const op_arg& b) {
  if (a.opt == 0 || b.opt == 0 || a.argtype != b.argtype) return false;
  if (a.argtype == OP_ARG_DAT)
    return a.dat == b.dat && a.map == b.map && a.acc == OP_WRITE && b.acc == OP_WRITE &&
           share_columns(a, b);
  if ((a.argtype != OP_ARG_GBL && a.argtype != OP_ARG_INFO) ||
      (a.acc == OP_READ && b.acc == OP_READ))
    return false;
  return a.global != nullptr ? a.global == b.global : a.data == b.data;
}

void check_conflicts(const Place& loop, std::span<const op_arg> args) {
  for (std::size_t b = 1; b < args.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (conflict(args[a], args[b]))
        loop.at(b).fail(ErrorCode::conflicting_args, "conflicting arguments",
                        "the same {} as arg {}, accessed by {} and {}; pass it once",
                        args[a].argtype == OP_ARG_DAT ? "data" : "global", a, name_of(args[a].acc),
                        name_of(args[b].acc));
}

struct Pointer {
  Type type;
  bool is_vector;  ///< to an array of pointers, one per row
};

/// How a kernel declares the parameter of an argument.
std::string declaration_of(const Pointer& pointer, op_access access) {
  return fmt::format("{}{}*{}", access == OP_READ ? "const " : "", cxx_name_of(pointer.type),
                     pointer.is_vector ? " const*" : "");
}

/// Opaque rows need a kernel with a host function.
void check_opaque(const Place& loop, op_kernel kernel, std::span<const op_arg> args) {
  if (kernel->host != nullptr) return;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const op_arg& arg = args[k];
    if (is_opaque(arg))
      loop.at(k).fail(ErrorCode::bad_type, "the rows are opaque",
                      "the values of dat '{}' have another size than \"{}\"; use a kernel with a "
                      "host function",
                      record_of(arg.dat)->name_storage, arg.dat->type);
  }
}

constexpr char wrong_parameter[] = "the parameter does not fit";

/// Compares a parameter of a host function with its argument.
void check_parameter(const Place& place, op_kernel kernel, std::size_t k, const op_arg& arg) {
  const Parameter& parameter = kernel->parameters[k];
  if (parameter.is_vector != (arg.map != OP_ID && arg.idx < 0))
    place.fail(ErrorCode::kernel_signature, wrong_parameter,
               "parameter {} of kernel '{}' is {}, but the argument has {}; write '{}'", k,
               kernel->name, parameter.is_vector ? "an array of pointers" : "a pointer",
               parameter.is_vector ? "one row" : "several rows",
               declaration_of({type_of(arg), !parameter.is_vector}, arg.acc));
  if (parameter.type != type_of(arg))
    place.fail(ErrorCode::kernel_signature, wrong_parameter,
               "parameter {} of kernel '{}' points to {}, but the argument is {}; write '{}'", k,
               kernel->name, cxx_name_of(parameter.type), cxx_name_of(type_of(arg)),
               declaration_of({type_of(arg), parameter.is_vector}, arg.acc));
  if ((arg.acc == OP_READ) != parameter.is_const)
    place.fail(ErrorCode::kernel_signature, wrong_parameter,
               "parameter {} of kernel '{}' {} to const, but the argument is {}; write '{}'", k,
               kernel->name, parameter.is_const ? "points" : "does not point", name_of(arg.acc),
               declaration_of({parameter.type, parameter.is_vector}, arg.acc));
}

/// Compares the parameters of a host function with the arguments.
void check_parameters(const Place& loop, op_kernel kernel, std::span<const op_arg> args) {
  if (kernel->parameter_count < 0) return;
  if (kernel->parameter_count != std::ssize(args))
    loop.fail(ErrorCode::kernel_signature, "wrong number of arguments",
              "kernel '{}' has {}, but the loop has {}; give one for each", kernel->name,
              counted(kernel->parameter_count, "parameter"), counted(args.size(), "argument"));
  for (std::size_t k = 0; k < args.size(); ++k) check_parameter(loop.at(k), kernel, k, args[k]);
}

}  // namespace

std::string text_of_place(const op_loop_name& loop, int arg) {
  const std::string at = fmt::format("loop '{}' ({}:{})", loop.name, loop.file, loop.line);
  return arg < 0 ? at : fmt::format("{} arg {}", at, arg);
}

void check_loop(const Mesh& mesh, op_kernel kernel, const op_loop_name& name, op_set set,
                std::span<const op_arg> args) {
  if (name.name == nullptr || *name.name == '\0')
    fail(ErrorCode::bad_name, "the name is empty: a loop at {}:{}; give it one", name.file,
         name.line);
  const Place place{name};
  if (kernel == nullptr) refuse_handle(place.text() + ": the kernel", nullptr);
  if (!mesh.knows(kernel) && kernel->host == nullptr)
    refuse_handle(place.text() + ": the kernel", kernel);
  check_arg_handle(mesh, place, "set", set);
  for (std::size_t k = 0; k < args.size(); ++k) check_arg(mesh, place.at(k), args[k], set);
  check_references(place, args);
  check_conflicts(place, args);
  check_parameters(place, kernel, args);
  check_opaque(place, kernel, args);
}

}  // namespace op2::core
