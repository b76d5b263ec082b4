// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <op2/compat/op2_embedded.h>

#include "op_seq.h"

static_assert(sizeof(WORDS) == 4);
template <class T>
concept Number = sizeof(T) == 8;
template <Number T>
void scale(const T* x, T* y) {
  y[0] = SCALE * x[0] + OWN + SHIFT;
}

// Stands in for the library.
namespace op2 {
namespace compat {
void par_loop(const function&, const char*, const char*, int, op_set, const arg* const*, int) {}
}  // namespace compat
namespace embedded {
Registration::Registration(const Kernel* kernels, int count) noexcept
    : kernels_(kernels), count_(count) {
  for (int i = 0; i < count_; ++i) {
    if (kernels_[i].source != nullptr) std::puts(kernels_[i].source);
  }
}
Registration::~Registration() {}
}  // namespace embedded
}  // namespace op2

extern "C" int from_c();
int main() {
  op_par_loop(scale<double>, "scale", nullptr, op_arg(), op_arg());
  return from_c();
}
