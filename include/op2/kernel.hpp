// SPDX-License-Identifier: BSD-3-Clause
// Kernels: source compiled at run time and, with OP_KERNEL, the same function in the program.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <op2/types.hpp>

namespace op2 {

/// One parameter of a kernel's host function.
struct Parameter {
  Type type;
  bool is_const;   ///< it points to const values
  bool is_vector;  ///< a pointer to pointers, for a vector argument
};

/// Calls the host function of a kernel with one pointer per argument.
using HostCall = void (*)(void (*function)(), char* const* arguments);

}  // namespace op2

/// A kernel: source that defines the function `name`, and what is known about it before it is
/// compiled.
struct op_kernel_core {
  const char* name;
  const char* source;
  /// Path of the source file if `source_is_file`, otherwise of the file that called op_decl_kernel.
  const char* file;
  int line;                          ///< of that call; 1 of a source file
  bool source_is_file;               ///< the source was read from `file`
  void (*host)();                    ///< host function, or null
  op2::HostCall call;                ///< calls `host`, or null
  const op2::Parameter* parameters;  ///< of the host function, shape [parameter_count], or null
  int parameter_count;               ///< -1 if there is no host function
  const char* facts = nullptr;       ///< what op2-embed-kernels has proven of the source, or null
};
using op_kernel = const op_kernel_core*;  ///< the handle of a kernel

namespace op2 {

/// The type that a kernel's parameter points to: through one pointer, or an array of pointers.
template <class P>
using Reached = std::remove_pointer_t<
    std::conditional_t<std::is_pointer_v<std::remove_pointer_t<P>>, std::remove_pointer_t<P>, P>>;

/// A parameter of a kernel: a pointer to values, or an array of such pointers (vector argument).
template <class P>
concept KernelParameter = std::is_pointer_v<P> && Value<std::remove_const_t<Reached<P>>>;

/// How the library calls the host function of a kernel whose parameters the compiler knows.
template <KernelParameter... P>
struct HostFunction {
  /// Calls `function` with one pointer of `arguments` for each parameter.
  static void call(void (*function)(), char* const* arguments) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      reinterpret_cast<void (*)(P...)>(function)(reinterpret_cast<P>(arguments[I])...);
    }(std::index_sequence_for<P...>{});
  }
  static constexpr Parameter parameters[] = {{type_of<std::remove_const_t<Reached<P>>>(),
                                              std::is_const_v<Reached<P>>,
                                              std::is_pointer_v<std::remove_pointer_t<P>>}...};
};

/// What OP2_KERNEL_HEADER expands to is its own name where it is not defined.
constexpr bool has_header(std::string_view text) {
  return text != "OP2_KERNEL_HEADER";
}

/// A kernel whose parameters the host compiler knows, so that a loop with the wrong number of
/// arguments does not compile. Created by OP_KERNEL; converts to the handle.
template <KernelParameter... P>
struct TypedKernel {
  op_kernel_core core;
  /// @param file, line  of the kernel, for messages
  TypedKernel(const char* name, const char* source, void (*function)(P...), const char* file,
              int line)
      : core{name,
             source,
             file,
             line,
             false,
             reinterpret_cast<void (*)()>(function),
             &HostFunction<P...>::call,
             HostFunction<P...>::parameters,
             sizeof...(P)} {}
  TypedKernel(const TypedKernel&) = delete;
  /// The handle; valid as long as this object.
  operator op_kernel() const { return &core; }
};

/// Neither a kernel nor the handle of one: op_par_loop has a form for these too, in which the
/// compiler says what to write.
template <class K>
concept NoKernel = !std::is_convertible_v<const K&, op_kernel>;

}  // namespace op2

/// The text of its arguments, with macros expanded (OP2_TEXT) or not.
#define OP2_TEXT_OF(...) #__VA_ARGS__
#define OP2_TEXT(...) OP2_TEXT_OF(__VA_ARGS__)

/// The source of an OP_KERNEL: its headers, and the function, from which on lines count.
#define OP2_KERNEL_SOURCE(headers, name, parameters, ...)                                     \
  "#include <op2_library>\n" headers "#line 1\nvoid " name OP2_TEXT(parameters) " " OP2_TEXT( \
      __VA_ARGS__)

/// Defines the kernel `name` at namespace scope: the host function, its source (macros expanded)
/// and the handle. Constants that it names must be variables of the program, in scope here, and
/// must be declared with `op_decl_const` under the same names.
///
///     OP_KERNEL(add, (const double* flux, double* sum), { *sum += *flux; })
///
/// Types, constants and functions that kernels share are in a header, which is named first; it is
/// read when a loop of the kernel is compiled (docs/kernels.md):
///
///     #define OP2_KERNEL_HEADER "flow_types.h"
///     #include OP2_KERNEL_HEADER
#define OP_KERNEL(name, parameters, ...)                                                       \
  static inline void name##_host parameters __VA_ARGS__ static_assert(                         \
      !::op2::has_header(OP2_TEXT(OP2_KERNEL_HEADER)) || *OP2_TEXT(OP2_KERNEL_HEADER) == '"',  \
      "op2: define OP2_KERNEL_HEADER as the name of a file in quotes, such as \"types.h\"");   \
  static const ::op2::TypedKernel name(                                                        \
      #name,                                                                                   \
      ::op2::has_header(OP2_TEXT(OP2_KERNEL_HEADER))                                           \
          ? OP2_KERNEL_SOURCE("#include " OP2_TEXT(OP2_KERNEL_HEADER) "\n", #name, parameters, \
                              __VA_ARGS__)                                                     \
          : OP2_KERNEL_SOURCE("", #name, parameters, __VA_ARGS__),                             \
      &name##_host, __FILE__, __LINE__)

/// A kernel from source. Local. The source must define a function `name` with one pointer parameter
/// per loop argument; it may define helpers and include files (docs/kernels.md). It is compiled
/// when the first loop that uses it is executed.
/// @param name    of the function in the source; need not be unique
/// @param source  C++; copied
/// @param file, line  of the call, for messages
/// @throws op2::Error bad_name, null_data
OP2_API op_kernel op_decl_kernel(const char* name, const char* source,
                                 const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// The same with the source in a file, which is read now.
/// @param path  relative to the working directory, or absolute; every rank reads it
/// @throws op2::Error bad_name, io_failure
OP2_API op_kernel op_decl_kernel_file(const char* name, const char* path);
