// SPDX-License-Identifier: BSD-3-Clause
// Values that differ from call to call, on a device. Globals: per chain one block with the results
// of its reductions, then the values that its loops read. One copy brings a chain's values there
// before it runs, one brings back the results that the host needs. Lazy globals of the only rank
// are reduced where they are. Constants: kernels read copies in their modules, programs change
// theirs here.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include <core/array.hpp>
#include <core/queue.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

class CurrentConstants {
 public:
  using Modules = std::vector<const jit::CudaLoop*>;  ///< each once

  explicit CurrentConstants(core::DeviceCopies& copies) : copies_(copies), space_(copies.space()) {}
  ~CurrentConstants() { space_.main_stream().settle(); }
  CurrentConstants(const CurrentConstants&) = delete;

  /// Gives the modules' constants the values that the program's have now, for what is queued on the
  /// main stream from now on, behind all that was. Waits only if the device is many changes behind.
  /// Cost: a comparison of their bytes; copies of those that have changed.
  /// @throws Error out_of_memory, device_failure
  void update(const Modules& modules);

 private:
  /// Changes that may be under way at the same time.
  static constexpr std::size_t ahead = 8;

  /// Values on their way to the device.
  struct Turn {
    core::PinnedBuffer memory;
    std::size_t bytes = 0;
    std::unique_ptr<core::Event> copied{};
  };
  Turn& next_turn(std::size_t bytes);
  bool is_uploaded(const jit::CudaConstant& constant) const;

  core::DeviceCopies& copies_;
  core::MemorySpace& space_;
  std::array<Turn, ahead> turns_;
  std::size_t turn_ = 0;  ///< of the next change
  std::map<core::DeviceAddress, std::vector<std::byte>> uploaded_;
};

/// Bytes of the integers of an exact sum, of all its components
/// (jit/target/cuda/kernel_parameters.hpp).
std::size_t bytes_of_words(const GlobalArg& sum);

/// Whether the device runs a step; otherwise the host does, or nobody.
bool runs_on_device(const Plan& plan, std::size_t step);

class PlanValues {
 public:
  /// @param copies, plan  outlive it
  /// @throws std::bad_alloc, Error out_of_memory, device_failure
  PlanValues(core::DeviceCopies& copies, const Plan& plan);

  /// Addresses on the device, shape [dim]; constant.
  core::DeviceAddress result(std::size_t step, const GlobalArg& reduction) const;
  core::DeviceAddress read(std::size_t step, std::size_t k) const;  ///< of the step's k-th read

  /// Queues the upload of the values that the chain's loops see in this call, unless the device has
  /// them, and the start of its results. Waits if the device is many calls behind.
  void upload(std::size_t chain, core::Queue& queue);
  /// Queues the download of the results that the host needs.
  void download(std::size_t chain);
  /// A result of the last download; waits for it. Valid until the next upload of the chain. Null
  /// for a lazy global that the device keeps: then its value, or on several ranks the partial
  /// result of this one, is the result from now on.
  std::byte* collect(std::size_t step, const GlobalArg& reduction);

 private:
  /// Calls whose values may be under way at the same time. The host waits once for each half of
  /// them.
  static constexpr std::size_t half = 8, ahead = 2 * half;

  struct Block {
    std::size_t begin = 0, results_end = 0, end = 0;  ///< in bytes of the memory
    bool has_results = false;                         ///< some are in the block
    bool downloads = false;                           ///< the host needs some of them
    bool keeps_upload = false;  ///< nothing in the block has changed since the last upload
    std::size_t turn = 0;       ///< of the next call
    std::array<std::unique_ptr<core::Event>, 2> uploaded;  ///< per half, after its last turn
    std::unique_ptr<core::Event> downloaded;
  };
  /// A reduction's place. Loops of a chain that reduce the same value of a lazy global, which the
  /// device keeps, share it: the first one gets the value of before.
  struct Result {
    std::size_t place = 0;          ///< in the block, also of the start of one that is elsewhere
    core::DeviceAddress address{};  ///< not null: of the global's own value
    bool kept = false;              ///< the device keeps the lazy global's value
    bool is_first = true;
    bool leaves_value = true;  ///< it is the last one, and nothing sets the global afterwards
  };
  /// The places of a step's globals.
  struct Places {
    bool on_device = false;
    std::size_t chain = 0;
    std::vector<Result> results;     ///< per reduction
    std::vector<std::size_t> reads;  ///< per read
  };
  /// A value that is on the device already.
  struct Copy {
    core::DeviceAddress to, from;
    std::size_t bytes;
  };
  /// The start of a result outside of the block.
  struct Start {
    core::DeviceAddress to;
    std::size_t place, bytes;
  };
  /// What a chain's loops see in one call.
  struct Values {
    std::byte* staging;  ///< of all chains, as on the device
    bool any = false;    ///< some are there
    std::vector<Copy> copies{};
    std::vector<Start> starts{};
  };
  void place(std::size_t chain);
  void place_results(std::size_t chain, std::size_t step);
  bool is_set_afterwards(std::size_t chain, const GlobalArg& reduction) const;
  Result* shared_result(std::size_t chain, std::size_t step, const GlobalArg& reduction);
  const Result& result_of(std::size_t step, const GlobalArg& reduction) const;
  void share(Result& result, std::size_t chain, std::size_t step, const GlobalArg& reduction);
  void end_turn(Block& block);
  bool is_uploaded(const Block& block, const Values& values) const;
  bool is_kept(std::size_t chain, const Step& step, const GlobalArg& reduction) const;
  void fill(std::size_t step, core::Queue& queue, Values& values);
  void fill_in_place(const Result& result, const GlobalArg& reduction, core::Queue& queue,
                     Values& values);
  void fill_start(const GlobalArg& reduction, bool whole, core::Queue& queue, std::size_t place,
                  Values& values);
  void fill_value(const GlobalArg& global, core::Queue& queue, std::size_t place, Values& values);

  core::MemorySpace& space_;
  const Plan& plan_;
  std::vector<Block> blocks_;   ///< per chain
  std::vector<Places> places_;  ///< per step
  std::size_t bytes_ = 0;
  core::ListedBuffer device_;
  core::PinnedBuffer going_, coming_;  ///< `ahead` times the memory; once
};

}  // namespace op2::sched
