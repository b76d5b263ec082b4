// SPDX-License-Identifier: BSD-3-Clause
// What the engine of a session works with.
#pragma once

#include <sched/facts.hpp>

namespace op2::comm {
class DistributedMesh;
}
namespace op2::core {
class Log;
class LoopTable;
struct Options;
class Profile;
class ThreadPool;
struct Topology;
class Trace;
}  // namespace op2::core
namespace op2::gpu {
class Device;
}
namespace op2::jit {
class Jit;
}

namespace op2::sched {

class Recorder;

/// Everything outlives the engine.
struct Resources {
  const core::Options& options;
  const core::Topology& topology;
  core::ThreadPool& pool;
  comm::DistributedMesh& rows;
  jit::Jit& jit;        ///< for the target of the session
  jit::Jit* host_jit;   ///< for what that target cannot run; null: it is the CPU
  gpu::Device* device;  ///< null: none
  core::LoopTable& table;
  core::Trace& trace;
  core::Log& log;
  Prover prove;                      ///< null: sources prove nothing
  Recorder* recorder = nullptr;      ///< null: OP2_MODEL is not set
  core::Profile* profile = nullptr;  ///< null: nobody asks where time goes
};

}  // namespace op2::sched
