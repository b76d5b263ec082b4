// SPDX-License-Identifier: BSD-3-Clause
// Whether two uses of the same memory can meet: neither a stream, nor an event, nor a wait of the
// host says which comes first. Found at the call that adds the second, whatever order work runs in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace op2::test::gpu {

/// How much of the work of each participant (0 is the host, then the streams) is known to be over.
class Clock {
 public:
  void join(const Clock& other);
  /// Whether all that the other knows to be over is so here.
  bool covers(const Clock& other) const;
  void advance(std::size_t participant) { ++at(participant); }
  std::uint64_t of(std::size_t participant) const {
    return participant < ticks_.size() ? ticks_[participant] : 0;
  }

 private:
  std::uint64_t& at(std::size_t participant);
  std::vector<std::uint64_t> ticks_;
};

class RaceDetector {
 public:
  /// Bytes [begin, end) of an allocation.
  struct Bytes {
    const void* allocation;
    std::size_t begin, end;
  };
  static constexpr std::size_t host = 0;

  std::size_t add_stream();
  /// A participant begins a piece of work: what follows in `note` belongs to it.
  void begin(std::size_t participant);
  /// What its work so far must wait for, and what it has done.
  const Clock& clock(std::size_t participant) const { return clocks_[participant]; }
  /// All later work of the participant comes after what the clock knows.
  void order_after(std::size_t participant, const Clock& clock);
  void host_waits_for_all();

  /// Adds a use by the work that the participant has begun.
  /// @return  the name of earlier work that may still be at these bytes; empty if there is none
  std::string note(std::size_t participant, const std::string& work, const Bytes& bytes,
                   bool writes);
  void forget(const void* allocation) { uses_.erase(allocation); }

 private:
  struct Use {
    std::size_t participant;
    std::uint64_t tick;
    std::size_t begin, end;
    bool writes;
    std::string work;
  };
  bool is_before(const Use& use, std::size_t participant) const {
    return clocks_[participant].of(use.participant) >= use.tick;
  }

  std::deque<Clock> clocks_{1};
  std::map<const void*, std::vector<Use>>
      uses_;  ///< by allocation: that others may have to wait for
};

}  // namespace op2::test::gpu
