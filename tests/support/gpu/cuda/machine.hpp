// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the driver work on: devices, and what programs have made on them.
//
// Threads: any; one call at a time for each device.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../device.hpp"
#include "handles.hpp"
#include "kernel_run.hpp"
#include "settings.hpp"

namespace op2::test::gpu::cuda {

struct Code {
  static constexpr int success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3,
                       no_device = 100, invalid_device = 101, invalid_image = 200,
                       invalid_context = 201, no_binary = 209, invalid_ptx = 218,
                       invalid_handle = 400, not_found = 500, not_ready = 600,
                       illegal_address = 700, out_of_resources = 701, unknown = 999;
};

struct Stream {
  Device::StreamNumber number;
  bool blocking;  ///< takes turns with the stream that has no handle
};

struct Event {
  DeviceEvent position;
};

struct Module;

struct Function {
  Module* module;
  Entry entry;
};

struct Module {
  std::shared_ptr<const KernelImage> image;
  std::shared_ptr<KnownVariables> variables = std::make_shared<KnownVariables>();
  std::map<std::string, std::unique_ptr<Function>> functions{};
};

/// A kernel of a graph, with the values of its parameters.
struct Node {
  std::shared_ptr<const Launch> launch;
  std::vector<const Node*> after;
};

struct Graph {
  std::deque<Node> nodes{};  ///< their addresses are handles
};

/// As it was when it was made; nodes have the addresses of the graph's.
struct ExecutableGraph {
  std::map<const Node*, Node> nodes;
};

/// A device with what was made on it.
struct Context {
  Context(int number, const Settings& settings);

  std::recursive_mutex lock;
  int number;
  int retained = 0;
  int lost = Code::success;  ///< what all later calls return
  Device device;
  Device::StreamNumber null_stream;
  RunState kernels;
  Handles<Stream> streams{Code::invalid_handle};
  Handles<Event> events{Code::invalid_handle};
  Handles<Module> modules{Code::invalid_handle};
  Handles<Graph> graphs{Code::invalid_handle};
  Handles<ExecutableGraph> executables{Code::invalid_handle};
};

class Machine {
 public:
  Machine();
  /// If a call was to be left out, the report gets the number of calls of each function.
  ~Machine();

  const Settings& settings() const { return settings_; }
  bool is_initialized() const { return initialized_; }
  void initialize();
  /// @throws DriverError
  Context& context(int device);
  /// Of the calling thread; null: none.
  Context* current() const;
  void set_current(Context* context);
  bool has(const Context* context) const;

  /// To be called at the start of every function.
  /// @param function  a literal
  /// @throws DriverError if it is to fail
  void count(const char* function);
  /// Whether the call that was counted last is to do nothing: a planted mistake.
  bool omits(const char* function);
  /// Writes into the report what it would have done.
  void note_omitted(const char* function, const std::string& details);
  std::int64_t calls(const std::string& function);
  /// The function whose call was made to fail; empty: none yet.
  std::string failed();
  /// The functions that were called since the last call of this one, in their order, with a blank
  /// behind each. None are kept before the first call.
  std::string history();

  /// Writes down what is wrong.
  void report(const std::string& finding);
  std::string findings();

 private:
  const std::int64_t serial_;  ///< no other machine of the process has had it
  std::mutex lock_;
  Settings settings_ = read_settings();
  std::int64_t all_calls_ = 0;
  std::map<std::string, std::int64_t> calls_;
  bool is_followed_ = false;
  std::vector<const char*> history_;  ///< literals
  std::string failed_;
  std::vector<std::string> findings_;
  bool initialized_ = false;
  std::vector<std::unique_ptr<Context>> contexts_;
};

/// The only one, which a first call makes.
Machine& machine();
/// Drops all devices; what programs have of them is no longer valid. The environment is read again.
void reset_machine();

}  // namespace op2::test::gpu::cuda
