// SPDX-License-Identifier: BSD-3-Clause
// A program of two ranks that goes through all parts of the engine, with a device for each rank:
// what may go wrong there, and what the program has seen of it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/error.hpp>
#include <support/fake_communicator.hpp>
#include <support/gpu/device_of_thread.hpp>
#include <support/model_on_ranks.hpp>
#include <support/small_model.hpp>

namespace op2::test::gpu {

/// Three times the chain; between them the program changes all values itself. After each, ghosts
/// that are not valid become noise, and so does what kernels read in memory of the host.
/// @return  how many values are not those of sequential loops
inline int run_small_program(comm::Communicator& ranks, core::ChainMode chain) {
  Random random(7);
  const ModelMesh mesh = small_mesh();
  Values expected = random_values(random, mesh);
  core::Options options;
  options.jit = core::JitMode::off;
  options.chain = chain;
  ModelOnRanks program(ranks, mesh, expected, options, 1, random);
  program.distribute(mesh.owner);
  int wrong = 0;
  for (int time = 0; time < 3; ++time) {
    if (time > 0) program.set_values(expected = random_values(random, mesh));
    wrong += program.run(small_chain()) != run_sequentially(mesh, small_chain(), expected);
    wrong += program.wrong_values(expected);
  }
  return wrong;
}

/// How the program ended.
struct Trial {
  int wrong = 0;                      ///< values, on both ranks
  std::vector<std::string> findings;  ///< of both devices
  std::string error;                  ///< that the program was given; empty: none
  Counters counters;                  ///< of rank 0
  std::int64_t calls = 0;             ///< of rank 0, that could fail
  std::size_t live_bytes = 0;         ///< on both devices, when the program has ended
  Omitted omitted;                    ///< on rank 0

  bool right() const { return wrong == 0 && findings.empty() && error.empty(); }
};

/// @param plant  what goes wrong on the device of rank 0
inline Trial try_small_program(const std::string& order, core::ChainMode chain,
                               const std::function<void(Device&)>& plant) {
  Trial trial;
  std::mutex mutex;
  const auto program = [&](comm::Communicator& ranks) {
    DeviceOfThread of(
        {.name = "gpu" + std::to_string(ranks.rank()), .schedule = parse_schedule(order)});
    if (ranks.rank() == 0) plant(of.device);
    std::exception_ptr error;
    int wrong = 0;
    try {
      wrong = run_small_program(ranks, chain);
    } catch (const std::exception&) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    trial.wrong += wrong;
    trial.live_bytes += of.device.live_bytes();
    for (const std::string& finding : of.findings()) trial.findings.push_back(finding);
    if (ranks.rank() == 0) {
      trial.counters = of.device.counters();
      trial.calls = of.device.failures().calls();
      trial.omitted = of.device.omissions().omitted();
    }
    if (error) std::rethrow_exception(error);
  };
  try {
    comm::run_fake_ranks(2, program);
  } catch (const std::exception& error) {
    trial.error = error.what();
  }
  return trial;
}

}  // namespace op2::test::gpu
