// SPDX-License-Identifier: BSD-3-Clause
// Which accesses of a kernel's threads to the same bytes can meet: neither a barrier nor the order
// of a thread says which comes first. Found whatever order the threads ran in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace op2::test::gpu {

enum class AccessKind : std::uint8_t { read, write, atomic };

/// Where the running thread of a kernel is. Time goes on with every kernel, block and barrier of a
/// device; blocks run one after the other.
struct Moment {
  std::uint64_t now = 1;
  std::uint64_t kernel = 1, block = 1;          ///< when they began
  std::uint64_t barrier = 1, warp_barrier = 1;  ///< when the thread has left the last one
  unsigned thread = 0;                          ///< in its block

  /// Earlier work that nothing orders before this one: when it began, and when the next one did.
  struct Rival {
    std::uint64_t begin, end;
  };
  std::vector<Rival> rivals{};  ///< the newest first
  std::uint64_t oldest_rival = ~std::uint64_t{0};

  /// Whether earlier work can meet this one.
  bool has_rival(std::uint64_t time) const {
    if (time < oldest_rival) return false;
    for (const Rival& rival : rivals)
      if (rival.begin <= time && time < rival.end) return true;
    return false;
  }
};

inline constexpr unsigned warp_size = 32;

/// Threads that have accessed the same bytes. Of those that a barrier orders before the last one,
/// none is kept: who can meet them can meet the last one too.
class Accessors {
 public:
  /// @param since  when the memory was new, or a kernel began before which all had ended
  bool can_meet(const Moment& at, std::uint64_t since) const {
    if (time_ < since) return at.has_rival(time_);
    if (scope_ == Scope::grid || time_ < at.block) return true;
    if (time_ < at.barrier) return false;
    if (scope_ == Scope::block || !same_warp(at)) return true;
    if (time_ < at.warp_barrier) return false;
    return scope_ == Scope::warp || thread_ != at.thread;
  }
  void add(const Moment& at, std::uint64_t since) {
    if (time_ < since) return set(at);
    if (scope_ == Scope::grid) return;
    if (time_ < at.block) {
      scope_ = Scope::grid;
      time_ = at.now;
      return;
    }
    if (time_ < at.barrier) return set(at);
    if (scope_ == Scope::block) return;
    if (!same_warp(at)) {
      scope_ = Scope::block;
      return;
    }
    if (time_ < at.warp_barrier) return set(at);
    if (thread_ != at.thread) scope_ = Scope::warp;
  }
  void set(const Moment& at) {
    time_ = at.now;
    thread_ = at.thread;
    scope_ = Scope::thread;
  }
  void clear() { time_ = 0; }

  std::uint64_t time() const { return time_; }
  /// One of them, and whether it was in the block that runs.
  unsigned thread() const { return static_cast<unsigned>(thread_); }
  bool in_block(const Moment& at) const { return scope_ != Scope::grid && time_ >= at.block; }

 private:
  enum class Scope : std::uint8_t { thread, warp, block, grid };  ///< what holds them all
  bool same_warp(const Moment& at) const { return thread_ / warp_size == at.thread / warp_size; }

  std::uint64_t time_ : 48 = 0;  ///< of the last access; 0: none
  std::uint64_t thread_ : 12 = 0;
  Scope scope_ : 4 = Scope::thread;
};

/// An access that another one can meet.
struct Rival {
  AccessKind kind;
  Accessors who;
};

/// Who has accessed some bytes. A piece of 8 bytes has one history until smaller ones are accessed.
class AccessHistory {
 public:
  AccessHistory() = default;
  explicit AccessHistory(std::size_t bytes) : bytes_(bytes) {}

  /// Notes an access. @return  an earlier one that it can meet; null if there is none
  const Rival* note(std::size_t offset, std::size_t bytes, AccessKind kind, const Moment& at,
                    std::uint64_t since) {
    if (((offset | bytes) & mask_) != 0) refine(offset | bytes);
    const std::size_t end = (offset + bytes) >> shift_;
    for (std::size_t k = offset >> shift_; k < end; ++k)
      if (const Rival* rival = note(cells_[k], kind, at, since)) return rival;
    return nullptr;
  }

 private:
  struct Cell {
    Accessors reads, atomics;  ///< since the last write
    Accessors write;
  };
  const Rival* note(Cell& cell, AccessKind kind, const Moment& at, std::uint64_t since) {
    if (cell.write.can_meet(at, since)) return found(AccessKind::write, cell.write);
    if (kind != AccessKind::atomic && cell.atomics.can_meet(at, since))
      return found(AccessKind::atomic, cell.atomics);
    if (kind != AccessKind::read && cell.reads.can_meet(at, since))
      return found(AccessKind::read, cell.reads);
    if (kind == AccessKind::read) {
      cell.reads.add(at, since);
    } else if (kind == AccessKind::atomic) {
      cell.atomics.add(at, since);
    } else {
      cell.write.set(at);
      cell.reads.clear();
      cell.atomics.clear();
    }
    return nullptr;
  }
  const Rival* found(AccessKind kind, const Accessors& who) {
    rival_ = {kind, who};
    return &rival_;
  }
  /// Gives smaller pieces a history, so that an access of which `bits` are set ends where one does.
  void refine(std::size_t bits);

  std::size_t bytes_ = 0;
  unsigned shift_ = 0;                  ///< a cell holds 2^shift bytes
  std::size_t mask_ = ~std::size_t{0};  ///< bits inside of a cell; all: there are no cells yet
  std::vector<Cell> cells_;
  Rival rival_{};
};

}  // namespace op2::test::gpu
