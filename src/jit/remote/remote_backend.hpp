// SPDX-License-Identifier: BSD-3-Clause
// A Backend that compiles in other processes and links in this one, so that no kernel can make the
// compiler end the program, take all memory or never return.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <jit/remote/messages.hpp>

namespace op2::jit {

// The program's side of op2-compile: a process without threads that has loaded the compiler and
// forks a worker whenever one more kernel is to be compiled at the same time. A worker compiles one
// kernel after the other; what ends it ends nothing else.
//
// The helper ends when the program does, because the socket between them closes, and its workers
// end with it. It is not a child of the program but of the system, so the program never waits for
// it. Signals that are sent to the whole group of processes (Ctrl-C) do not reach it.

/// How long a process may take to be ready: the compiler may be loaded from a slow disk.
inline constexpr std::chrono::milliseconds start_timeout{60'000};

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
  FileDescriptor new_worker(std::chrono::milliseconds timeout = start_timeout);

 private:
  explicit HelperProcess(FileDescriptor socket) : socket_(std::move(socket)) {}
  FileDescriptor socket_;
};

struct RemoteSettings {
  std::filesystem::path helper;  ///< file that is started
  std::filesystem::path plugin;  ///< that the helper loads
  std::string cpu;               ///< as for load_plugin
  CompileLimit limit;
  /// How long a process may be silent that was asked to compile: it may stand still.
  std::chrono::milliseconds answer_timeout = answer_timeout_for(limit);
};

class RemoteBackend : public Backend {
 public:
  /// Starts nothing yet.
  /// @param local  links, and compiles if no helper can be started, after one warning
  RemoteBackend(std::unique_ptr<Backend> local, RemoteSettings settings, core::Log& log)
      : local_(std::move(local)), settings_(std::move(settings)), log_(log) {}

  TargetInfo target() const override { return local_->target(); }
  void prepare() override;
  CompileResult compile(const CompileRequest& request) override;
  std::string consistent_math() override { return local_->consistent_math(); }
  LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                  const std::vector<LinkSymbol>& symbols) override {
    return local_->link(object, symbol, symbols);
  }

 private:
  struct Worker {
    FileDescriptor socket;
    std::set<std::size_t> sources;  ///< hashes of those that it has compiled
  };
  /// @param sources  hashes of what will be compiled: a worker that has parsed it already is best
  Worker take_worker(const std::vector<std::size_t>& sources, bool is_new);
  Worker new_worker();
  bool starts(const FileDescriptor& worker, const Message& question) const;
  CompileResult result_of(Worker worker, const std::vector<std::size_t>& sources);
  std::chrono::milliseconds start_time() const;
  bool has_helper();
  void refuse(const std::string& reason, const std::string& advice);

  const std::unique_ptr<Backend> local_;
  const RemoteSettings settings_;
  core::Log& log_;
  std::mutex mutex_;  ///< of all following members
  std::unique_ptr<HelperProcess> helper_;
  bool is_refused_ = false;   ///< no helper can be started
  std::vector<Worker> idle_;  ///< that wait for a request
};

/// Loads the plug-in, for linking, and sets up compiling in other processes.
/// @throws Error as load_plugin
std::shared_ptr<Backend> load_remote_backend(const std::string& plugin_dir, const std::string& cpu,
                                             const CompileLimit& limit, core::Log& log);

}  // namespace op2::jit
