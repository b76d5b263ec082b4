// SPDX-License-Identifier: BSD-3-Clause
#include <op2/op2.hpp>

#include <cstdio>

void set_handler();

void set_handler() {
  op_set_error_handler([](const op2::Error& error, int rank) {
    std::printf("handler of rank %d: %s\n", rank, error.what());
  });
}
