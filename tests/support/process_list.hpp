// SPDX-License-Identifier: BSD-3-Clause
// Running processes of one program.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace op2::test {

/// Those that execute the file, in no order.
inline std::vector<pid_t> processes_of(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator("/proc", ignored)) {
    const std::string name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (fs::read_symlink(folder.path() / "exe", ignored) == file) found.push_back(std::stoi(name));
  }
  return found;
}

/// Those of `processes_of` that the system lists under a name, up to 15 characters.
inline std::vector<pid_t> processes_named(const std::filesystem::path& file,
                                          const std::string& name) {
  std::vector<pid_t> found;
  for (const pid_t process : processes_of(file)) {
    std::ifstream list("/proc/" + std::to_string(process) + "/comm");
    if (std::string line; std::getline(list, line) && line == name) found.push_back(process);
  }
  return found;
}

/// @return whether the condition holds within 60 s
inline bool wait_until(const auto& condition) {
  constexpr int attempts = 6000;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline void signal_processes(const std::filesystem::path& file, int signal) {
  for (const pid_t process : processes_of(file)) ::kill(process, signal);
}

}  // namespace op2::test
