// SPDX-License-Identifier: BSD-3-Clause
// A tool that makes op_init wait until the file that TEST_FILE names is there, at most 20 s.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <op2/tool.h>

extern "C" void op2_tool_init(int /*interface_version*/, int /*rank*/, int /*ranks*/) {
  const char* const file = std::getenv("TEST_FILE");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!std::filesystem::exists(file) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
