// SPDX-License-Identifier: BSD-3-Clause
// Kernels: the text that is compiled at run time and, with OP_KERNEL, its twin in the host program.
#pragma once

#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

#include <op2/types.hpp>

namespace op2 {

/// One parameter of a kernel's host function.
struct Parameter {
  Type type;
  bool is_const;   ///< it leads to const values
  bool is_vector;  ///< a pointer to pointers, for a vector argument
};

/// Calls the host function of a kernel with one pointer per argument.
using HostCall = void (*)(void (*function)(), char* const* arguments);

}  // namespace op2

/// A kernel: a text that defines the function `name`, and what is known of it before it is
/// compiled.
struct op_kernel_core {
  const char* name;
  const char* source;
  const char* file;  ///< file of the text if `text_is_file`, else of the call that declared it
  int line;          ///< line of the call that declared it
  bool text_is_file;
  void (*host)();                    ///< host function, or null
  op2::HostCall call;                ///< calls `host`, or null
  const op2::Parameter* parameters;  ///< of the host function, shape [parameter_count], or null
  int parameter_count;               ///< -1 if there is no host function
};
using op_kernel = const op_kernel_core*;

namespace op2 {

/// What a kernel's parameter leads to: through one pointer, or through an array of them.
template <class P>
using Reached = std::remove_pointer_t<
    std::conditional_t<std::is_pointer_v<std::remove_pointer_t<P>>, std::remove_pointer_t<P>, P>>;

template <class P>
concept KernelParameter = std::is_pointer_v<P> && Value<std::remove_const_t<Reached<P>>>;

template <KernelParameter... P>
struct HostFunction {
  static void call(void (*function)(), char* const* arguments) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      reinterpret_cast<void (*)(P...)>(function)(reinterpret_cast<P>(arguments[I])...);
    }(std::index_sequence_for<P...>{});
  }
  static constexpr Parameter parameters[] = {{type_of<std::remove_const_t<Reached<P>>>(),
                                              std::is_const_v<Reached<P>>,
                                              std::is_pointer_v<std::remove_pointer_t<P>>}...};
};

/// A kernel whose parameters are known to the compiler, so that a loop with the wrong number of
/// arguments does not compile. Made by OP_KERNEL; converts to the handle.
template <KernelParameter... P>
struct TypedKernel {
  op_kernel_core core;
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
  operator op_kernel() const { return &core; }
};

}  // namespace op2

#define OP2_TEXT_OF(...) #__VA_ARGS__
#define OP2_TEXT(...) OP2_TEXT_OF(__VA_ARGS__)

/// Defines the kernel `name` at namespace scope: the host function, its text (macros expanded) and
/// the handle. The constants it names must be variables of the host program in scope here, and
/// declared with `op_decl_const` under the same names.
///
///     OP_KERNEL(add, (const double* flux, double* sum), { *sum += *flux; })
#define OP_KERNEL(name, parameters, ...)                                                           \
  static inline void name##_host parameters __VA_ARGS__ static const ::op2::TypedKernel name(      \
      #name, "void " #name OP2_TEXT(parameters) " " OP2_TEXT(__VA_ARGS__), &name##_host, __FILE__, \
      __LINE__)

/// A kernel from text. Local. The text must define a function `name` whose parameters are one
/// pointer per loop argument; it may define helpers and include files (see docs/kernels.md).
/// Nothing is compiled before the first loop that uses it is executed.
/// @throws op2::Error bad_name, null_data
OP2_API op_kernel op_decl_kernel(const char* name, const char* source,
                                 std::source_location where = std::source_location::current());

/// The same with the text in the file `path`, which is read now.
/// @throws op2::Error bad_name, io_failure
OP2_API op_kernel op_decl_kernel_file(const char* name, const char* path,
                                      std::source_location where = std::source_location::current());
