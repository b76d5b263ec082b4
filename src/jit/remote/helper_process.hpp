// SPDX-License-Identifier: BSD-3-Clause
// The program's side of op2-compile: a process without threads that has loaded the compiler and
// forks a worker whenever one more kernel is to be compiled at the same time. A worker compiles one
// kernel after the other; what ends it ends nothing else.
//
// The helper ends when the program does, because the socket between them closes, and its workers
// end with it. It is not a child of the program but of the system, so the program never waits for
// it. Signals that are sent to the whole group of processes (Ctrl-C) do not reach it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <jit/remote/compile_bytes.hpp>
#include <jit/remote/messages.hpp>

namespace op2::jit {

/// How long a process may take to be ready: the compiler may be loaded from a slow disk.
inline constexpr std::chrono::milliseconds start_patience{60'000};

/// The name of the helper's file, which is in the folder of the plug-in.
inline constexpr const char* helper_name = "op2-compile";

class HelperProcess {
 public:
  /// Starts a helper and waits until it is ready: the time that loading the compiler takes.
  /// @param file    of the helper; it inherits the standard streams and nothing else
  /// @param target  that the helper must compile for
  /// @param reason  why null was returned
  static std::unique_ptr<HelperProcess> start(const std::filesystem::path& file,
                                              const Greeting& greeting, const TargetInfo& target,
                                              std::string& reason);

  /// A socket to a new worker, which is ready. @return empty if there is none in time
  Descriptor new_worker(std::chrono::milliseconds patience = start_patience);

 private:
  explicit HelperProcess(Descriptor socket) : socket_(std::move(socket)) {}
  Descriptor socket_;
};

}  // namespace op2::jit
