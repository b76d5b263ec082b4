// SPDX-License-Identifier: BSD-3-Clause
// OP2's developer header: loops with function-pointer kernels.
#pragma once

#include <utility>

#include "op_lib_cpp.h"

/// Distance between the values of one element: they are contiguous.
constexpr int op2_stride = 1;
/// The value `index` of an element whose first one is `array[0]`.
#define OP2_STRIDE(array, index) array[index]

namespace op2 {
namespace compat {

/// The name of a loop, with the file and line of the call.
struct loop_name {
  const char* text;
  const char* file;
  int line;
  /// Implicit: loops are called with a text, and the compiler adds the place.
  loop_name(const char* name, const char* call_file = __builtin_FILE(),
            int call_line = __builtin_LINE())
      : text(name), file(call_file), line(call_line) {}
};

/// Calls a function with pointers of its parameter types.
template <class... P>
struct caller {
  /// @cond
  template <int... i>
  struct numbers {};
  template <int count, int... i>
  struct count_up : count_up<count - 1, count - 1, i...> {};
  template <int... i>
  struct count_up<0, i...> {
    typedef numbers<i...> type;
  };
  template <int... i>
  static void call_with(void (*address)(), char* const* arguments, numbers<i...>) {
    static_cast<void>(arguments);
    reinterpret_cast<void (*)(P*...)>(address)(reinterpret_cast<P*>(arguments[i])...);
  }
  /// @endcond
  /// Calls `address` with one pointer of `arguments` for each parameter.
  static void call(void (*address)(), char* const* arguments) {
    call_with(address, arguments, typename count_up<sizeof...(P)>::type());
  }
};

/// Calls `kernel` for every element of `set`.
template <class... P, class... Args>
void op_par_loop(void (*kernel)(P*...), loop_name name, op_set set, const Args&... args) {
  static_assert(sizeof...(P) == sizeof...(Args),
                "one loop argument for each parameter of the kernel");
  const arg* const list[] = {&args..., nullptr};
  const function called = {reinterpret_cast<void (*)()>(kernel), &caller<P...>::call,
                           static_cast<int>(sizeof...(P))};
  par_loop(called, name.text, name.file, name.line, set, list, static_cast<int>(sizeof...(Args)));
}

/// Calls `kernel` for every element of `values`; it writes the rows that `numbers` selects.
template <class V, class... P, class... Args>
void op_par_scatter(buffer* values, buffer* numbers, void (*kernel)(V*, P*...), const char* name,
                    const Args&... args) {
  static_assert(sizeof...(P) == sizeof...(Args),
                "one argument for each parameter of the kernel after the first");
  const arg* const list[] = {&args..., nullptr};
  const function called = {reinterpret_cast<void (*)()>(kernel), &caller<V, P...>::call,
                           1 + static_cast<int>(sizeof...(P))};
  par_scatter(called, name, values, numbers, list, static_cast<int>(sizeof...(Args)));
}

}  // namespace compat
}  // namespace op2

using op2::compat::op_par_loop;
using op2::compat::op_par_scatter;
