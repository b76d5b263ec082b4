// SPDX-License-Identifier: BSD-3-Clause
// What the engine of a session works with.
#pragma once

#include <sched/analysis/facts.hpp>

namespace op2::comm {
class DistributedMesh;
}
namespace op2::core {
class Log;
struct Measurements;
struct Options;
class ThreadPool;
struct Topology;
}  // namespace op2::core
namespace op2::gpu {
class Device;
}
namespace op2::jit {
class Jit;
}

namespace op2::sched {

/// Everything outlives the engine.
struct Resources {
  const core::Options& options;
  const core::Topology& topology;
  core::ThreadPool& pool;
  comm::DistributedMesh& rows;
  jit::Jit& jit;        ///< for the target of the session
  jit::Jit* host_jit;   ///< for what that target cannot run; null: it is the CPU
  gpu::Device* device;  ///< null: none
  core::Measurements& measurements;
  core::Log& log;
  Prover prove;  ///< null: sources prove nothing
};

}  // namespace op2::sched
