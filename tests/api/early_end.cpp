// SPDX-License-Identifier: BSD-3-Clause
// Ends without op_exit while the library loads its compiler: exit code 3, always.
//   early_end MICROSECONDS main    main() returns
//   early_end MICROSECONDS thread  op_init is called by another thread, which ends first
//   early_end MICROSECONDS exit    another thread calls exit()
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <thread>

#include <op2/runtime.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const std::string_view form = argv[2];
  const auto wait = [&] { usleep(std::atoi(argv[1])); };
  const auto start = [&] {
    op_init(0, nullptr, 0);
    if (form != "exit") wait();
  };
  if (form == "thread")
    std::thread(start).join();
  else
    start();
  if (form == "exit")
    std::thread([&] {
      wait();
      std::exit(3);
    }).join();
  return 3;
}
