// SPDX-License-Identifier: BSD-3-Clause
// Ends without op_exit while the library loads its compiler: exit code 3, always.
//   early_end MICROSECONDS [thread]    thread: op_init is called by another thread, which ends
//   first
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <thread>

#include <op2/runtime.hpp>

int main(int argc, char** argv) {
  const auto start = [&] {
    op_init(0, nullptr, 0);
    usleep(argc > 1 ? std::atoi(argv[1]) : 0);
  };
  const bool on_thread = argc > 2 && std::string_view(argv[2]) == "thread";
  if (on_thread)
    std::thread(start).join();
  else
    start();
  return 3;
}
