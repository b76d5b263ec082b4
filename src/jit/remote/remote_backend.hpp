// SPDX-License-Identifier: BSD-3-Clause
// A Backend that compiles in other processes and links in this one, so that no kernel can make the
// compiler end the program, take all memory or never return.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <jit/backend.hpp>
#include <jit/remote/compile_limit.hpp>
#include <jit/remote/helper_process.hpp>

namespace op2::jit {

struct RemoteSettings {
  std::filesystem::path helper;  ///< file that is started
  std::filesystem::path plugin;  ///< that the helper loads
  std::string cpu;               ///< as for load_backend
  CompileLimit limit;
  /// How long a process may be silent that was asked to compile: it may stand still.
  std::chrono::milliseconds patience = patience_for(limit);
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
    Descriptor socket;
    std::set<std::size_t> sources;  ///< hashes of those that it has compiled
  };
  struct Reply {
    bool has_worker = false;  ///< false: this process must do it
    Received answer{};        ///< nothing: the worker has ended before, or stands still
  };

  Reply ask(MessageKind kind, const CompileRequest& request);
  /// @param sources  hashes of what will be compiled: a worker that has parsed it already is best
  Worker take_worker(const std::vector<std::size_t>& sources);
  Worker new_worker();
  bool starts(const Descriptor& worker, const Message& question) const;
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
