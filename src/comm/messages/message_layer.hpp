// SPDX-License-Identifier: BSD-3-Clause
// What implementations of Communicator share: blocks of a reduction, buffers of a channel, the tree
// of broadcasts, the error of ranks that make different calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/arithmetic.hpp>
#include <core/memory.hpp>
#include <op2/error.hpp>

namespace op2::comm {

/// Some words of a reduction. Blocks are folded word by word; neither the order of ranks nor the
/// shape of the tree matters.
struct ReductionBlock {
  static constexpr std::size_t capacity = 61;

  /// The greatest fingerprint of the ranks folded so far, and the greatest complement of one.
  std::uint64_t greatest, greatest_complement;
  std::uint64_t sums;  ///< words [0, sums) are added; of the others the greatest is kept
  std::array<std::int64_t, capacity> words;

  explicit ReductionBlock(std::uint64_t fingerprint = 0)
      : greatest(fingerprint), greatest_complement(~fingerprint), sums(0), words{} {}

  void fold(const ReductionBlock& other);

  /// Whether all ranks that were folded have one fingerprint.
  bool agrees() const { return greatest == ~greatest_complement; }
};

/// Packs words into blocks: at least one, all with the given fingerprint. Minima are sent as maxima
/// of complements.
std::vector<ReductionBlock> packed(const WordReduction& words, std::uint64_t fingerprint);

/// @param words  gets the folded values; its lengths are those of the packed words
void unpack(const std::vector<ReductionBlock>& blocks, WordReduction& words);

/// One buffer per peer, zero at first; each begins at a multiple of 64 bytes.
class AlignedBuffers {
 public:
  AlignedBuffers(const std::vector<Peer>& peers, const core::HostAllocator& allocate) {
    std::size_t bytes = 0;
    for (const Peer& peer : peers) {
      begin_.push_back(bytes);
      size_.push_back(peer.bytes);
      bytes += core::round_up(peer.bytes, alignment);
    }
    data_ = allocate(bytes);
  }

  std::span<std::byte> operator[](std::size_t k) const {
    return {data_.memory.get() + begin_[k], size_[k]};
  }
  std::size_t count() const { return size_.size(); }
  /// Never frees the memory, since MPI may still write to it.
  void leak() { static_cast<void>(new core::HostBytes(data_)); }

 private:
  static constexpr std::size_t alignment = 64;
  std::vector<std::size_t> begin_, size_;  ///< bytes
  core::HostBytes data_;
};

/// The position of a rank in a binomial tree.
struct TreePosition {
  std::optional<int> parent;  ///< of all but the root
  std::vector<int> children;  ///< those with the largest subtrees first

  TreePosition(int rank, int root, int ranks) {
    const int mine = (rank - root + ranks) % ranks;
    int step = 1;
    while (step < ranks && mine % (2 * step) == 0) step *= 2;
    if (mine != 0) parent = (mine - step + root) % ranks;
    for (step /= 2; step > 0; step /= 2)
      if (mine + step < ranks) children.push_back((mine + step + root) % ranks);
  }
};

/// The call that a rank is in, one line per step.
struct Position {
  int rank;
  std::uint64_t fingerprint;
  std::string steps;
};

/// How a line of `Position::steps` begins that is a declaration (Communicator::declare).
inline constexpr std::string_view declared_prefix = "declares ";

/// The error of two ranks that should make the same call. Shows the first line in which they
/// differ, from both sides. Its code is kernel_differs if that line is the same loop with two
/// values of `source=<hash>`, otherwise collective_mismatch. Local.
Error collective_mismatch(const Position& a, const Position& b);

}  // namespace op2::comm
