// SPDX-License-Identifier: BSD-3-Clause
#include <core/validate.hpp>

#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::core {

void check_name(const char* what, const char* name) {
  if (name == nullptr || *name == '\0')
    fail(ErrorCode::bad_name, "the name is empty: {}; give it one", what);
}

void check_path(const char* function, const char* path) {
  if (path == nullptr || *path == '\0')
    fail(ErrorCode::bad_name, "the path is empty: {}; name a file", function);
}

void check_words(const char* function, int argc, char** argv) {
  for (int k = 1; k < argc; ++k)
    if (argv == nullptr || argv[k] == nullptr)
      fail(ErrorCode::null_data,
           "the pointer is null: {}, word {} of {} in argv; pass argc and argv of main, or 0 and "
           "nullptr",
           function, k, argc);
}

void check_identifier(const char* what, const char* name, ErrorCode code) {
  const std::string_view text = name == nullptr ? "" : name;
  bool good =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
  for (const char c : text)
    good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  if (!good)
    fail(code,
         "the name is not a C++ identifier: {} '{}'; kernels refer to it, so use letters, digits "
         "and underscores",
         what, text);
}

void check_dim(const char* what, const char* name, int dim) {
  if (dim < 1 || dim > max_dim)
    fail(ErrorCode::bad_dim,
         "dim is out of range: {} '{}', {} is outside 1 .. {}; give it one in it", what, name, dim,
         max_dim);
}

Type check_type_name(const std::string& what, const char* type) {
  if (type == nullptr)
    fail(ErrorCode::bad_type, "the type is null: {}; give it one, e.g. \"double\"", what);
  const std::optional<Type> named = type_named(type);
  if (!named)
    fail(ErrorCode::bad_type,
         "unknown type: {}, \"{}\"; use double, float, int, uint, ll, ull or bool{}", what, type,
         did_you_mean(type, type_names()));
  return *named;
}

void check_type(const char* what, const char* name, const char* type, Type value_type) {
  if (type == nullptr) return;
  const std::string subject = fmt::format("{} '{}'", what, name);
  if (check_type_name(subject, type) != value_type)
    fail(ErrorCode::bad_type,
         "the type string does not match the data: {}, \"{}\" for values of C++ type {}; write "
         "\"{}\"",
         subject, type, cxx_name_of(value_type), name_of(value_type));
}

void refuse_handle(const std::string& what, const void* handle) {
  if (handle == nullptr)
    fail(ErrorCode::bad_handle, "the handle is null: {}; declare the object first", what);
  fail(ErrorCode::bad_handle,
       "the handle is not of this session: {} {}, it was freed or is from before op_exit; declare "
       "the object in this session",
       what, fmt::format("{}", handle));
}

void check_map_values(op_set from, op_set to, int dim, const int* values, const char* name) {
  const std::int64_t count = std::int64_t{static_cast<const Set*>(from)->declared} * dim;
  if (count > 0 && values == nullptr)
    fail(ErrorCode::null_data, "the values are null: map '{}', set '{}' has {}; pass {} for each",
         name, from->name, counted(static_cast<const Set*>(from)->declared, "element"),
         counted(dim, "value"));
  const std::int64_t targets = static_cast<const Set*>(to)->global_size;
  std::int64_t bad = 0;
  std::int64_t first = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (values[k] >= 0 && values[k] < targets) continue;
    if (bad++ == 0) first = k;
  }
  if (bad > 0)
    fail(ErrorCode::map_out_of_range,
         "{} of {} entries are out of range: map '{}'[{}][{}] = {}, but set '{}' has {} (0 .. "
         "{}); check the mesh",
         bad, count, name, static_cast<const Set*>(from)->first + first / dim, first % dim,
         values[first], to->name, counted(targets, "element"), targets - 1);
}

namespace {

/// Where a mistake is: the loop, its call site and, once known, the position of the argument.
struct ArgumentSite {
  const op_loop_name& loop;
  int arg = -1;

  ArgumentSite at(std::size_t position) const { return {loop, static_cast<int>(position)}; }

  std::string text() const { return argument_site(loop, arg); }

  /// @param what    is wrong
  /// @param format  the numbers, and what to do
  template <class... Args>
  [[noreturn]] void fail(ErrorCode code, const char* what, fmt::format_string<Args...> format,
                         Args&&... args) const {
    core::fail(code, "{}: {}, {}", what, text(), fmt::format(format, std::forward<Args>(args)...));
  }
};

template <class Handle>
void check_arg_handle(const Mesh& mesh, const ArgumentSite& site, const char* what, Handle handle) {
  if (handle != nullptr && mesh.knows(handle)) return;  // formats no text for the usual case
  check_handle(mesh, fmt::format("{}: the {}", site.text(), what), handle);
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
void check_path(const Mesh& mesh, const ArgumentSite& site, const op_arg& arg, op_set set,
                const Dat* dat) {
  if (arg.map == OP_ID) {
    if (arg.idx != -1)
      site.fail(ErrorCode::bad_map_index, "the map is null",
                "index {}; pass a declared map, or OP_ID and index -1 to access the element itself",
                arg.idx);
    if (dat != nullptr && dat->set != set)
      site.fail(ErrorCode::wrong_set, "wrong set",
                "dat '{}' is on set '{}', but the loop runs over set '{}'; access it through a map",
                dat->name_storage, dat->set->name, set->name);
    return;
  }
  check_arg_handle(mesh, site, "map", arg.map);
  const op_map map = arg.map;
  const bool is_vector = dat != nullptr && arg.idx <= -2 && arg.idx >= -map->dim;
  if (!is_vector && (arg.idx < 0 || arg.idx >= map->dim))
    site.fail(ErrorCode::bad_map_index, "the index is out of range",
              "index {} for map '{}' of arity {}; use {}", arg.idx, map->name, map->dim,
              columns_of(map, dat != nullptr));
  if (map->from != set)
    site.fail(ErrorCode::wrong_set, "wrong set",
              "map '{}' is from set '{}', but the loop runs over set '{}'; use a map from that set",
              map->name, map->from->name, set->name);
  if (dat != nullptr && map->to != dat->set)
    site.fail(ErrorCode::wrong_set, "wrong set",
              "map '{}' is to set '{}', but dat '{}' is on set '{}'; use a map to that set",
              map->name, map->to->name, dat->name_storage, dat->set->name);
}

/// @param dat  whose type it is; null: that of a global
void check_stated_type(const ArgumentSite& site, const Dat* dat, const char* stated, Type actual) {
  if (stated == nullptr || type_named(stated) == actual) return;
  check_type_name(site.text(), stated);
  const std::string what =
      dat != nullptr ? fmt::format("dat '{}'", dat->name_storage) : "data of a global";
  site.fail(ErrorCode::bad_type, "wrong type", "\"{0}\" for {1} of type \"{2}\"; write \"{2}\"",
            stated, what, core::name_of(actual));
}

bool is_known(op_access access) {
  return access >= OP_READ && access <= OP_MAX;
}

void check_dat_arg(const Mesh& mesh, const ArgumentSite& site, const op_arg& arg, op_set set) {
  check_arg_handle(mesh, site, "dat", arg.dat);
  const Dat& dat = *record_of(arg.dat);
  if (!is_known(arg.acc))
    site.fail(ErrorCode::bad_access, "wrong access mode",
              "{} of dat '{}'; use OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN or OP_MAX",
              name_of(arg.acc), dat.name_storage);
  check_path(mesh, site, arg, set, &dat);
  if (dim_of(arg) != dat.dim)
    site.fail(ErrorCode::bad_dim, "wrong dim", "dim {0} for dat '{1}' of dim {2}; write {2}",
              arg.dim, dat.name_storage, dat.dim);
  if (dat.opaque) return;
  check_stated_type(site, &dat, arg.type, dat.value_type);
}

void check_global_arg(const Mesh& mesh, const ArgumentSite& site, const op_arg& arg) {
  const bool is_set = arg.acc == OP_WRITE && arg.global == nullptr;
  if (!is_set && (arg.acc == OP_WRITE || arg.acc == OP_RW || !is_known(arg.acc)))
    site.fail(ErrorCode::bad_access, "wrong access mode",
              "{} of a global; use OP_READ, OP_INC, OP_MIN or OP_MAX{}", name_of(arg.acc),
              arg.global == nullptr ? ", or OP_WRITE" : "");
  if (arg.global == nullptr && arg.data == nullptr)
    site.fail(ErrorCode::null_data, "the pointer is null",
              "a global must have an address; pass it");
  if (arg.global != nullptr) check_arg_handle(mesh, site, "global", arg.global);
  if (dim_of(arg) < 1)
    site.fail(ErrorCode::bad_dim, "dim is out of range",
              "dim {} of the global; give it at least one value", dim_of(arg));
  check_stated_type(site, nullptr, arg.type, type_of(arg));
  if (arg.global != nullptr) return;
  if (!arg.writable && arg.acc != OP_READ)
    site.fail(ErrorCode::bad_access, "wrong access mode",
              "{} of a global through a pointer to const; pass a pointer to non-const",
              name_of(arg.acc));
  const std::size_t bytes = size_of(arg.value_type, arg.dim);
  if (bytes > max_global_bytes)
    site.fail(ErrorCode::too_large, "the global is too large", "{} bytes, more than {}; use a dat",
              bytes, max_global_bytes);
}

/// An argument that is off has no data, but must still be consistent.
void check_arg_that_is_off(const Mesh& mesh, const ArgumentSite& site, const op_arg& arg) {
  if (!is_known(arg.acc))
    site.fail(ErrorCode::bad_access, "wrong access mode",
              "{}; use OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN or OP_MAX", name_of(arg.acc));
  if (arg.dim < 1 || arg.dim > max_dim)
    site.fail(ErrorCode::bad_dim, "dim is out of range",
              "{} is outside 1 .. {}; give the dim of "
              "the dat that may be passed",
              arg.dim, max_dim);
  if (arg.dat != nullptr) check_arg_handle(mesh, site, "dat", arg.dat);
  if (arg.type != nullptr)
    check_type_name(site.text(), arg.type);
  else if (arg.argtype == OP_ARG_DAT && arg.dat == nullptr)
    site.fail(ErrorCode::bad_type, "no type",
              "it is off and has no dat; give it a type string, e.g. \"double\"");
}

void check_arg(const Mesh& mesh, const ArgumentSite& site, const op_arg& arg, op_set set) {
  if (arg.opt == 0) return check_arg_that_is_off(mesh, site, arg);
  switch (arg.argtype) {
    case OP_ARG_DAT:
      return check_dat_arg(mesh, site, arg, set);
    case OP_ARG_GBL:
    case OP_ARG_INFO:
      return check_global_arg(mesh, site, arg);
    case OP_ARG_IDX:
      return check_path(mesh, site, arg, set, nullptr);
  }
  site.fail(ErrorCode::internal, "unknown kind of argument",
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
void check_references(const ArgumentSite& loop, std::span<const op_arg> args) {
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

void check_conflicts(const ArgumentSite& loop, std::span<const op_arg> args) {
  for (std::size_t b = 1; b < args.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (conflict(args[a], args[b]))
        loop.at(b).fail(ErrorCode::conflicting_args, "conflicting arguments",
                        "the same {} as arg {}, accessed by {} and {}; pass it once",
                        args[a].argtype == OP_ARG_DAT ? "data" : "global", a, name_of(args[a].acc),
                        name_of(args[b].acc));
}

/// How a kernel declares the parameter of an argument.
/// @param is_vector  it points to an array of pointers, one per row
std::string declaration_of(Type type, bool is_vector, op_access access) {
  return fmt::format("{}{}*{}", access == OP_READ ? "const " : "", cxx_name_of(type),
                     is_vector ? " const*" : "");
}

/// Opaque rows need a kernel with a host function.
void check_opaque(const ArgumentSite& loop, op_kernel kernel, std::span<const op_arg> args) {
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
void check_parameter(const ArgumentSite& site, op_kernel kernel, std::size_t k, const op_arg& arg) {
  const Parameter& parameter = kernel->parameters[k];
  if (parameter.is_vector != (arg.map != OP_ID && arg.idx < 0))
    site.fail(ErrorCode::kernel_signature, wrong_parameter,
              "parameter {} of kernel '{}' is {}, but the argument has {}; write '{}'", k,
              kernel->name, parameter.is_vector ? "an array of pointers" : "a pointer",
              parameter.is_vector ? "one row" : "several rows",
              declaration_of(type_of(arg), !parameter.is_vector, arg.acc));
  if (parameter.type != type_of(arg))
    site.fail(ErrorCode::kernel_signature, wrong_parameter,
              "parameter {} of kernel '{}' points to {}, but the argument is {}; write '{}'", k,
              kernel->name, cxx_name_of(parameter.type), cxx_name_of(type_of(arg)),
              declaration_of(type_of(arg), parameter.is_vector, arg.acc));
  if ((arg.acc == OP_READ) != parameter.is_const)
    site.fail(ErrorCode::kernel_signature, wrong_parameter,
              "parameter {} of kernel '{}' {} to const, but the argument is {}; write '{}'", k,
              kernel->name, parameter.is_const ? "points" : "does not point", name_of(arg.acc),
              declaration_of(parameter.type, parameter.is_vector, arg.acc));
}

/// Compares the parameters of a host function with the arguments.
void check_parameters(const ArgumentSite& loop, op_kernel kernel, std::span<const op_arg> args) {
  if (kernel->parameter_count < 0) return;
  if (kernel->parameter_count != std::ssize(args))
    loop.fail(ErrorCode::kernel_signature, "wrong number of arguments",
              "kernel '{}' has {}, but the loop has {}; give one for each", kernel->name,
              counted(kernel->parameter_count, "parameter"), counted(args.size(), "argument"));
  for (std::size_t k = 0; k < args.size(); ++k) check_parameter(loop.at(k), kernel, k, args[k]);
}

}  // namespace

std::string argument_site(const op_loop_name& loop, int arg) {
  const std::string at = fmt::format("loop '{}' ({}:{})", loop.name, loop.file, loop.line);
  return arg < 0 ? at : fmt::format("{} arg {}", at, arg);
}

void check_loop(const Mesh& mesh, op_kernel kernel, const op_loop_name& name, op_set set,
                std::span<const op_arg> args) {
  if (name.name == nullptr || *name.name == '\0')
    fail(ErrorCode::bad_name, "the name is empty: a loop at {}:{}; give it one", name.file,
         name.line);
  const ArgumentSite site{name};
  if (kernel == nullptr) refuse_handle(site.text() + ": the kernel", nullptr);
  if (!mesh.knows(kernel) && kernel->host == nullptr)
    refuse_handle(site.text() + ": the kernel", kernel);
  check_arg_handle(mesh, site, "set", set);
  for (std::size_t k = 0; k < args.size(); ++k) check_arg(mesh, site.at(k), args[k], set);
  check_references(site, args);
  check_conflicts(site, args);
  check_parameters(site, kernel, args);
  check_opaque(site, kernel, args);
}

}  // namespace op2::core
