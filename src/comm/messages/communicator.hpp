// SPDX-License-Identifier: BSD-3-Clause
// The interface of a message layer: collectives, and channels for messages that are sent
// repeatedly. Independent of meshes. One thread per rank calls it.
//
// No wait hangs for ever because ranks make different calls. Each rank describes its work with
// `set_signature`; collectives compare the fingerprints, and two ranks that wait for each other
// with different fingerprints end with an Error that names both. What else there is to say of waits
// is in WaitWatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <core/memory.hpp>
#include <core/options.hpp>

namespace op2::comm {

using Bytes = std::vector<std::byte>;

/// Bytes to or from another rank (or to oneself).
struct Message {
  int rank;
  Bytes bytes;
};

/// One message of a channel: how many bytes go to, or come from, a rank.
struct Peer {
  int rank;  ///< never this one
  std::size_t bytes;
};

/// What a rank is executing. Equal fingerprints mean that two ranks execute the same.
struct CollectiveSignature {
  std::uint64_t fingerprint = 0;
  /// One line per step. Called only for the message of a mismatch, which shows the first line in
  /// which two ranks differ.
  std::function<std::string()> describe;
};

/// For the line about a long wait.
struct WaitPurpose {
  std::string what;  ///< is waited for: "the halo exchange of loop 'flow' (flow.cpp:12)"
  std::string why;   ///< it takes long: "it compiles"; empty: not known
};

/// Sees the waits of this rank. All members are local.
class WaitWatch {
 public:
  virtual ~WaitWatch() = default;

  /// What this rank executes from now on.
  virtual void set_signature(CollectiveSignature signature) = 0;
  virtual std::uint64_t fingerprint() const = 0;

  /// For a mismatch that the caller has found in a message from `peer`: asks the peer what it is
  /// executing, and throws.
  /// @throws Error collective_mismatch naming both sides; always
  [[noreturn]] virtual void report_mismatch(int peer) = 0;

  /// What this rank waits for from now on; called only for a line about a long wait. Empty: not
  /// known.
  virtual void set_purpose(std::function<WaitPurpose()> /*purpose*/) {}

  /// Gives a line about each wait of more than 5 seconds for ranks that do not wait themselves.
  /// `report` must not call the communicator.
  virtual void on_long_wait(std::function<void(const std::string&)> /*report*/) {}

  /// For a rank that ends the program: what another one says that it is at, which waits meanwhile.
  /// Asks all, and gives the answers a second.
  /// @param all_end  this rank ends MPI: waits until one rank is known to wait, or until all have
  ///                 called this
  virtual std::optional<std::string> waiting_rank(bool /*all_end*/) { return {}; }
};

/// A process among others of its machine.
struct NodeRank {
  int rank = 0, count = 1;
  bool operator==(const NodeRank&) const = default;
};

/// Where a rank runs, and what its message layer says of itself.
struct RankFacts {
  NodeRank on_node{};  ///< among the ranks of this communicator that share memory
  /// Whether the buffers of channels may be memory of a CUDA device, as far as it is known.
  std::optional<bool> is_gpu_aware{};
  /// The handle of the MPI communicator for other libraries (MPI_Comm_c2f), if there is one.
  std::optional<int> mpi_handle{};
};

/// Integers of which all ranks get the sums, minima and maxima over the ranks.
struct WordReduction {
  std::vector<std::int64_t> sums;  ///< these wrap around
  std::vector<std::int64_t> minima, maxima;
};

struct ReductionBlock;  // message_layer.hpp

/// Sums over the ranks before one, and over all.
struct PartialSum {
  std::int64_t before, total;
};

/// A fixed pattern of messages with separate buffers, sent repeatedly. At most one transfer is in
/// flight; between `wait` and the next `start` all buffers belong to the caller.
class Channel {
 public:
  virtual ~Channel() = default;

  /// Buffer of message `k` in the order given to `open_channel`. Aligned to 64 bytes.
  virtual std::span<std::byte> outgoing(std::size_t k) = 0;
  virtual std::span<const std::byte> incoming(std::size_t k) const = 0;

  /// Starts all sends and receives. Does not wait.
  virtual void start() = 0;
  /// Makes progress. True once all messages have arrived and outgoing buffers are free, or if
  /// nothing was started. Cheap enough to be called between two loops.
  virtual bool test() = 0;
  /// Returns when `test` would be true.
  /// @throws Error collective_mismatch, communication_failure
  virtual void wait() = 0;
};

/// All members are collective unless marked local, and throw Error collective_mismatch (the ranks
/// make different calls) or communication_failure (the message layer reports a fault).
class Communicator {
 public:
  virtual ~Communicator() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

  /// Local. "[rank 1/4] ", put before what a rank logs; nothing on one rank.
  std::string log_prefix() const;

  // Local. RankFacts.
  NodeRank on_node() const { return facts_.on_node; }
  std::optional<bool> is_gpu_aware() const { return facts_.is_gpu_aware; }
  std::optional<int> mpi_handle() const { return facts_.mpi_handle; }

  /// Local.
  virtual WaitWatch& watch() = 0;

  /// Local. Describes the work of this rank from now on.
  void set_signature(CollectiveSignature signature);

  /// Local. Something that this rank has declared without a message, which all ranks must have
  /// declared in the same order: part of every signature that is set from now on. Nothing on one
  /// rank.
  void declare(std::string_view what);

  /// Whether anything was declared since the last reduction, which compares it. Equal on all ranks
  /// that declare the same.
  bool has_declared() const { return declared_ != nullptr; }

  /// Sparse all-to-all: delivers each message to its rank and returns those sent here, in ascending
  /// order of their ranks (several from one rank: in the order of sending). Messages may be empty.
  virtual std::vector<Message> exchange(std::vector<Message> outgoing) = 0;

  /// The bytes of all ranks, in rank order: shape [size() x mine.size()]. Every rank gives the same
  /// number of bytes. Compares the fingerprints first.
  virtual Bytes gather_all(std::span<const std::byte> mine) = 0;

  /// The root's bytes, on every rank.
  virtual Bytes broadcast(Bytes bytes, int root) = 0;

  /// Replaces the words by their reductions over all ranks: the same on every rank, whatever tree
  /// the message layer uses. Lengths, fingerprints and descriptions are compared in the same
  /// messages. Cost: 512 bytes per rank and step of the tree; for more than 61 words a second
  /// reduction.
  /// @param description  what is reduced, equal on all ranks; the message of a mismatch shows it
  void reduce(WordReduction& words, std::string_view description);

  // The same of one number. Collective.
  std::int64_t sum(std::int64_t mine, std::string_view description);
  std::int64_t minimum(std::int64_t mine, std::string_view description);
  std::int64_t maximum(std::int64_t mine, std::string_view description);

  /// From now on reductions go over the ranks in this way, which changes no result. Before the
  /// first call: flat.
  /// @param ranks_per_node  so many ranks with successive numbers are a node; 0: those that share
  ///                        memory
  virtual void reduce_by(core::ReduceMode /*mode*/, int /*ranks_per_node*/) {}

  /// Sums over the ranks before this one, and over all. Cost: as a reduction.
  PartialSum partial_sum(std::int64_t mine);

  /// Returns when all ranks have called it.
  void barrier();

  /// A channel to and from neighbours. `sends` and `receives` may name a rank several times; the
  /// k-th message from a to b is what b receives as its k-th from a. Local: nothing is sent yet.
  /// But all ranks must open all channels, also those in which they have no peers, in the same
  /// order and with the same signature (`set_signature`).
  /// @param allocate  called once for all outgoing and once for all incoming buffers
  virtual std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives,
                                                const core::HostAllocator& allocate) = 0;
  /// To be called after some ranks may have opened fewer channels than others, since an error came
  /// first: from now on they agree again. Cost: a reduction.
  void align_channels();
  /// The same with buffers in plain memory.
  std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives) {
    return open_channel(std::move(sends), std::move(receives), core::zeroed_bytes);
  }

  /// Local. Wall clock time in seconds from some fixed point, by the message layer's clock, so that
  /// a model of a network can replace it.
  virtual double seconds() const = 0;

  /// Local. Ends the other ranks; the message was logged before. Never returns on several ranks of
  /// MPI. The fake communicator makes the next call of every other rank throw; a single rank just
  /// returns.
  virtual void end_job(int exit_code) = 0;

 protected:
  Communicator(int rank, int size, const RankFacts& facts = {})
      : rank_(rank), size_(size), facts_(facts) {}

  /// Folds the blocks of all ranks; each has at least one. The first blocks are folded before the
  /// others; throws if they do not agree. Never called on one rank.
  virtual void fold(std::span<ReductionBlock> blocks, const std::string& operation) = 0;

  /// The sum over the ranks before this one. Never called on one rank.
  virtual std::int64_t sum_before(std::int64_t mine) = 0;

  std::uint64_t channels_ = 0;  ///< that this rank has opened, by which they are numbered

 private:
  int rank_, size_;
  RankFacts facts_;
  std::uint64_t declarations_ = 0;          ///< so many
  std::uint64_t declared_fingerprint_ = 0;  ///< of all declarations
  /// Since the last reduction, a line each; and those of the signature. Null: none.
  std::shared_ptr<const std::string> declared_, declared_in_signature_;
};

/// Sets the purpose of waits for the life of the object.
class Waiting {
 public:
  Waiting(Communicator& ranks, std::function<WaitPurpose()> purpose) : ranks_(ranks) {
    ranks_.watch().set_purpose(std::move(purpose));
  }
  ~Waiting() { ranks_.watch().set_purpose({}); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Communicator& ranks_;
};

/// The one rank of a program without a launcher. Channels are empty; costs nothing.
std::unique_ptr<Communicator> make_self_communicator();

}  // namespace op2::comm
