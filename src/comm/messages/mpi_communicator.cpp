// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_communicator.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/launcher.hpp>
#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/mpi_watch.hpp>
#include <core/clock.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

/// Calls `use` for each segment of a buffer; an empty buffer is one empty segment.
template <class Use>
void for_each_segment(std::span<std::byte> buffer, std::size_t largest, Use use) {
  do {
    const auto segment = buffer.first(std::min(buffer.size(), largest));
    use(segment);
    buffer = buffer.subspan(segment.size());
  } while (!buffer.empty());
}

/// Messages larger than `largest` bytes are cut into segments, all of which are in flight at once.
/// The requests of a channel share a tag, since both sides start them in the same order.
class MpiChannel final : public Channel {
 public:
  struct Endpoint {
    MPI_Comm comm;
    int tag;
    std::uint64_t number;
    std::size_t largest;  ///< bytes
  };

  MpiChannel(const Endpoint& endpoint, MpiWatch& watch, const std::vector<Peer>& sends,
             const std::vector<Peer>& receives, const core::HostAllocator& allocate)
      : watch_(watch),
        number_(endpoint.number),
        outgoing_(sends, allocate),
        incoming_(receives, allocate) {
    const auto add = [&](const std::vector<Peer>& peers, const AlignedBuffers& buffers,
                         const auto& init, const char* call, bool is_expected) {
      for (std::size_t k = 0; k < peers.size(); ++k)
        for_each_segment(buffers[k], endpoint.largest, [&](std::span<std::byte> segment) {
          const int size = static_cast<int>(segment.size()), peer = peers[k].rank;
          MPI_Request request;
          mpi_check(
              init(segment.data(), size, MPI_BYTE, peer, endpoint.tag, endpoint.comm, &request),
              call);
          requests_.add(request, peer, is_expected ? size : -1);
        });
    };
    add(receives, incoming_, MPI_Recv_init, "MPI_Recv_init", true);
    add(sends, outgoing_, MPI_Send_init, "MPI_Send_init", false);
  }

  ~MpiChannel() override {
    if (!mpi_is_running()) return;
    if (under_way_) {  // an error interrupted the transfer, but MPI may still write
      outgoing_.leak();
      incoming_.leak();
      return;
    }
    for (std::size_t k = 0; k < requests_.count(); ++k) MPI_Request_free(&requests_[k]);
  }

  std::span<std::byte> outgoing(std::size_t k) override { return outgoing_[k]; }
  std::span<const std::byte> incoming(std::size_t k) const override { return incoming_[k]; }

  void start() override {
    core::ensure(!under_way_, "a channel is started twice");
    under_way_ = true;
    for (std::size_t k = 0; k < requests_.count(); ++k)
      mpi_check(MPI_Start(&requests_[k]), "MPI_Start");
  }

  bool test() override {
    if (!under_way_) return true;
    try {
      under_way_ = !requests_.test();
    } catch (const MpiRequests::Fault& fault) {
      watch_.report_mismatch(fault.peer, "reading a message of an unexpected size");
    }
    return !under_way_;
  }

  void wait() override {
    if (test()) return;
    const MpiWait what{"waiting for messages of a channel", number_,
                       [this] { return requests_.peers_under_way(); }};
    watch_.wait(what, [this] { return test(); });
  }

 private:
  MpiWatch& watch_;
  std::uint64_t number_;
  AlignedBuffers outgoing_, incoming_;
  MpiRequests requests_;  ///< receives first
  bool under_way_ = false;
};

/// The messages of one exchange. A synchronous send completes once it is being received; so when
/// those of all ranks have completed, no more messages arrive (Hoefler, Siebert, Lumsdaine:
/// Scalable communication protocols for dynamic sparse data exchange, 2010). Cost: O(messages) and
/// a barrier.
class MpiExchange {
 public:
  /// Messages are sent in segments of `largest` bytes; the first shorter one is the last.
  MpiExchange(MPI_Comm comm, int tag, std::size_t largest, std::vector<Message> outgoing)
      : comm_(comm), tag_(tag), largest_(largest), outgoing_(std::move(outgoing)) {
    for (Message& message : outgoing_) {
      std::span<std::byte> rest = message.bytes;
      for (bool last = false; !last;) {
        const auto segment = rest.first(std::min(rest.size(), largest_));
        rest = rest.subspan(segment.size());
        last = segment.size() < largest_;
        MPI_Request request;
        mpi_check(MPI_Issend(segment.data(), static_cast<int>(segment.size()), MPI_BYTE,
                             message.rank, tag_, comm_, &request),
                  "MPI_Issend");
        sends_.add(request, message.rank);
      }
    }
  }

  ~MpiExchange() {
    if (complete_) return;
    abandon(std::move(outgoing_));  // an error interrupted the exchange; MPI may access them
    abandon(std::move(segments_));
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  /// Begins to receive a message if there is one. Only while this rank waits, as
  /// `MpiWatch::poll_control_messages`.
  void receive() {
    int found = 0, size = 0;
    MPI_Message message;
    MPI_Status status;
    mpi_check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &found, &message, &status), "MPI_Improbe");
    if (!found) return;
    mpi_check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    Bytes& bytes = segments_.emplace_back(Message{status.MPI_SOURCE, Bytes(size)}).bytes;
    MPI_Request request;
    mpi_check(MPI_Imrecv(bytes.data(), size, MPI_BYTE, &message, &request), "MPI_Imrecv");
    receives_.add(request, status.MPI_SOURCE);
  }

  MpiRequests& sends() { return sends_; }
  MpiRequests& receives() { return receives_; }

  /// The received messages, ordered by sender; complete once all ranks have sent theirs and
  /// `receives` have completed.
  std::vector<Message> take() {
    complete_ = true;
    std::ranges::stable_sort(segments_, {}, &Message::rank);
    std::vector<Message> messages;
    bool goes_on = false;
    for (Message& segment : segments_) {
      const std::size_t size = segment.bytes.size();
      if (goes_on)
        messages.back().bytes.insert(messages.back().bytes.end(), segment.bytes.begin(),
                                     segment.bytes.end());
      else
        messages.push_back(std::move(segment));
      goes_on = size == largest_;
    }
    return messages;
  }

 private:
  MPI_Comm comm_;
  int tag_;
  std::size_t largest_;
  std::vector<Message> outgoing_, segments_;
  MpiRequests sends_, receives_;
  bool complete_ = false;
};

static_assert(std::is_trivially_copyable_v<ReductionBlock>);

/// With the signature of an MPI_User_function.
void fold_blocks(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* others = static_cast<const ReductionBlock*>(from);
  auto* blocks = static_cast<ReductionBlock*>(to);
  for (int k = 0; k < *count; ++k) blocks[k].fold(others[k]);
}

constexpr int leader = 0;  // among the ranks of a node

/// The ranks of this node, and the first rank of every node. Making and destroying it is
/// collective.
struct MpiNodes {
  MpiComm ranks;
  bool leads;       ///< whether this is the first rank of its node
  MpiComm leaders;  ///< MPI_COMM_NULL on other ranks

  MpiNodes(MPI_Comm all, int ranks_per_node)
      : ranks(ranks_on_node(all, ranks_per_node)),
        leads(rank_in(ranks) == leader),
        leaders(some_ranks(all, leads)) {}
};

/// Along which communicators reductions go, and how they fold blocks.
struct MpiReductionTree {
  MpiComm all;
  std::unique_ptr<MpiNodes> nodes;  ///< null: at once
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Op fold = MPI_OP_NULL;

  explicit MpiReductionTree(MPI_Comm comm) : all(duplicate(comm)) {
    constexpr int words = sizeof(ReductionBlock) / sizeof(std::int64_t);
    mpi_check(MPI_Type_contiguous(words, MPI_INT64_T, &block), "MPI_Type_contiguous");
    mpi_check(MPI_Type_commit(&block), "MPI_Type_commit");
    mpi_check(MPI_Op_create(fold_blocks, 1, &fold), "MPI_Op_create");
  }
  ~MpiReductionTree() {
    if (!mpi_is_running()) return;
    MPI_Op_free(&fold);
    MPI_Type_free(&block);
  }
  MpiReductionTree(const MpiReductionTree&) = delete;
  MpiReductionTree& operator=(const MpiReductionTree&) = delete;
};

/// One reduction in flight, which the constructor starts. By nodes it takes three collectives:
/// blocks are folded on each node, then by the leaders of all nodes, who give them to their nodes.
class MpiReduction {
 public:
  /// @param blocks  of this rank; at most INT_MAX bytes
  MpiReduction(const MpiReductionTree& tree, std::span<const ReductionBlock> blocks)
      : tree_(tree),
        blocks_(static_cast<int>(blocks.size())),
        collective_(std::as_bytes(blocks), blocks.size_bytes()) {
    if (tree.nodes == nullptr) {
      reduce_over(tree.all);
      return;
    }
    step_ = Step::on_node;
    mpi_check(MPI_Ireduce(collective_.out.data(), collective_.in.data(), blocks_, tree.block,
                          tree.fold, leader, tree.nodes->ranks, &collective_.request),
              "MPI_Ireduce");
  }

  /// Makes progress; true once it is done.
  bool test() {
    while (collective_.test())
      if (!start_next()) return true;
    return false;
  }

  /// Precondition: it is done. Shape as `blocks`.
  void copy_result(std::span<ReductionBlock> blocks) const {
    std::memcpy(blocks.data(), collective_.in.data(), collective_.in.size());
  }

 private:
  enum class Step { over_all, on_node, over_leaders, to_node };

  void reduce_over(MPI_Comm ranks) {
    mpi_check(MPI_Iallreduce(collective_.out.data(), collective_.in.data(), blocks_, tree_.block,
                             tree_.fold, ranks, &collective_.request),
              "MPI_Iallreduce");
  }

  /// False after the last step.
  bool start_next() {
    if (step_ == Step::over_all || step_ == Step::to_node) return false;
    if (step_ == Step::on_node && tree_.nodes->leads) {
      step_ = Step::over_leaders;
      std::swap(collective_.out, collective_.in);
      reduce_over(tree_.nodes->leaders);
      return true;
    }
    step_ = Step::to_node;
    mpi_check(MPI_Ibcast(collective_.in.data(), blocks_, tree_.block, leader, tree_.nodes->ranks,
                         &collective_.request),
              "MPI_Ibcast");
    return true;
  }

  const MpiReductionTree& tree_;
  int blocks_;
  Step step_ = Step::over_all;
  MpiCollective collective_;
};

// Tags on the communicator of messages. Exchanges alternate between two: a rank may begin the next
// one while another still waits for messages of this one, but it cannot be two ahead.
constexpr int exchange_tag = 0;  // and 1
constexpr int broadcast_tag = 2;
constexpr int first_channel_tag = 3;

/// What every rank gives to `gather_all`. Its size is fixed, so that no rank can make MPI's
/// collectives fail by a wrong size. If more bytes are given than fit, a second gather follows.
struct Block {
  std::uint64_t fingerprint, size;
  std::byte bytes[56];
};

struct BroadcastHeader {
  std::uint64_t fingerprint, number, size;
};

class MpiCommunicator final : public Communicator {
 public:
  /// @param messages  a duplicate of `comm`, owned from now on
  MpiCommunicator(MPI_Comm comm, MPI_Comm messages, int rank, int size, const MpiOptions& options)
      : Communicator(rank, size, {rank_on_node(comm), mpi_is_gpu_aware(), MPI_Comm_c2f(messages)}),
        options_(options),
        mpi_(std::make_unique<Objects>(comm, messages)),
        watch_(comm, options) {
    int* largest_tag = nullptr;
    int known = 0;
    mpi_check(MPI_Comm_get_attr(messages, MPI_TAG_UB, &largest_tag, &known), "MPI_Comm_get_attr");
    if (known) channel_tags_ = static_cast<std::uint64_t>(*largest_tag - first_channel_tag);
  }

  ~MpiCommunicator() override {
    if (watch_.has_failed()) abandon(std::move(mpi_));  // calls may be in flight
  }

  WaitWatch& watch() override { return watch_; }

  std::vector<Message> exchange(std::vector<Message> outgoing) override {
    constexpr const char* operation = "in an exchange";
    for (const Message& message : outgoing) require_rank(message.rank);
    const auto own =
        std::stable_partition(outgoing.begin(), outgoing.end(),
                              [&](const Message& message) { return message.rank != rank(); });
    std::vector<Message> to_self(std::make_move_iterator(own),
                                 std::make_move_iterator(outgoing.end()));
    outgoing.erase(own, outgoing.end());

    const int tag = exchange_tag + static_cast<int>(exchanges_++ % 2);
    const std::uint64_t number = ++collectives_;
    MpiExchange under_way(mpi_->messages, tag, options_.largest_message, std::move(outgoing));
    const MpiWait sending{operation, number, [&] { return under_way.sends().peers_under_way(); }};
    watch_.wait(sending, [&] { return under_way.receive(), under_way.sends().test(); });
    agree({operation, number, {}}, [&] { under_way.receive(); });
    const MpiWait receiving{operation, number,
                            [&] { return under_way.receives().peers_under_way(); }};
    watch_.wait(receiving, [&] { return under_way.receives().test(); });

    std::vector<Message> incoming = under_way.take();
    const auto after = std::find_if(incoming.begin(), incoming.end(),
                                    [&](const Message& message) { return message.rank > rank(); });
    incoming.insert(after, std::make_move_iterator(to_self.begin()),
                    std::make_move_iterator(to_self.end()));
    return incoming;
  }

  Bytes gather_all(std::span<const std::byte> mine) override {
    const std::string operation = fmt::format("gathering {} bytes from all ranks", mine.size());
    const MpiWait what{operation, ++collectives_, {}};
    Block block{watch_.fingerprint(), mine.size(), {}};
    const std::size_t size_in_block = std::min(mine.size(), sizeof block.bytes);
    if (size_in_block > 0) std::memcpy(block.bytes, mine.data(), size_in_block);
    const Bytes blocks = gather(mpi_->gathers, std::as_bytes(std::span(&block, 1)), what);
    const std::size_t ranks = size();
    Bytes all(mine.size() * ranks);
    for (std::size_t other = 0; other < ranks; ++other) {
      Block theirs;
      std::memcpy(&theirs, &blocks[other * sizeof theirs], sizeof theirs);
      if (theirs.fingerprint != block.fingerprint || theirs.size != block.size)
        watch_.report_mismatch(static_cast<int>(other), operation);
      if (size_in_block > 0) std::memcpy(&all[other * mine.size()], theirs.bytes, size_in_block);
    }
    for (std::size_t begin = size_in_block; begin < mine.size();) {
      const auto segment =
          mine.subspan(begin, std::min(mine.size() - begin, options_.largest_message));
      const Bytes segments = gather(mpi_->gathers, segment, what);
      for (std::size_t other = 0; other < ranks; ++other)
        std::memcpy(&all[other * mine.size() + begin], &segments[other * segment.size()],
                    segment.size());
      begin += segment.size();
    }
    return all;
  }

  Bytes broadcast(Bytes bytes, int root) override {
    require_rank(root);
    const TreePosition tree(rank(), root, size());
    const std::uint64_t number = ++collectives_;
    BroadcastHeader header{watch_.fingerprint(), number, bytes.size()};
    const auto header_bytes = std::as_writable_bytes(std::span(&header, 1));
    if (tree.parent) {
      transfer(header_bytes, {}, tree.parent, number);
      if (header.fingerprint != watch_.fingerprint() || header.number != number)
        watch_.report_mismatch(*tree.parent, "in a broadcast");
      bytes.resize(header.size);
      transfer(bytes, {}, tree.parent, number);
    }
    transfer(header_bytes, tree.children, {}, number);
    transfer(bytes, tree.children, {}, number);
    return bytes;
  }

  std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives,
                                        const core::HostAllocator& allocate) override {
    for (const auto* peers : {&sends, &receives})
      for (const Peer& peer : *peers) {
        require_rank(peer.rank);
        core::ensure(peer.rank != rank(), "a channel to the own rank");
      }
    // Messages of channels that are opened in different calls must not match: some versions of MPI
    // write beyond the buffer if a large message does not fit.
    const std::uint64_t number = ++channels_;
    const std::uint64_t mixed = (watch_.fingerprint() + number) * 0x9e3779b97f4a7c15ULL >> 32;
    const int tag = first_channel_tag + static_cast<int>(mixed % channel_tags_);
    return std::make_unique<MpiChannel>(
        MpiChannel::Endpoint{mpi_->messages, tag, number, options_.largest_message}, watch_, sends,
        receives, allocate);
  }

  void reduce_by(core::ReduceMode mode, int ranks_per_node) override {
    if (mode == core::ReduceMode::flat) return;
    auto nodes = std::make_unique<MpiNodes>(mpi_->reductions.all, ranks_per_node);
    const std::int64_t count = sum(nodes->leads ? 1 : 0, "counting nodes");
    const bool gains = count > 1 && count < size();
    if (mode == core::ReduceMode::by_node || gains) mpi_->reductions.nodes = std::move(nodes);
  }

  /// Also after MPI_Finalize, when MPICH ends a program that calls MPI_Wtime.
  double seconds() const override {
    return mpi_is_running() ? MPI_Wtime() : core::seconds_since({});
  }
  void end_job(int exit_code) override {
    if (size() > 1 && mpi_is_running()) MPI_Abort(mpi_->messages, exit_code);
  }

 protected:
  void fold(std::span<ReductionBlock> blocks, const std::string& operation) override {
    const std::uint64_t mine = blocks.front().greatest;
    const MpiWait what{operation, ++collectives_, {}};
    fold_some(blocks.first(1), what);  // alone: other ranks may have a different number of blocks
    if (!blocks.front().agrees()) report_other(mpi_->reductions.all, mine, what);
    constexpr std::size_t at_once = INT_MAX / sizeof(ReductionBlock);
    for (auto rest = blocks.subspan(1); !rest.empty();) {
      const auto part = rest.first(std::min(rest.size(), at_once));
      fold_some(part, what);
      rest = rest.subspan(part.size());
    }
  }

  std::int64_t sum_before(std::int64_t mine) override {
    MpiCollective scan(std::as_bytes(std::span(&mine, 1)), sizeof mine);
    mpi_check(MPI_Iexscan(scan.out.data(), scan.in.data(), 1, MPI_INT64_T, MPI_SUM,
                          mpi_->reductions.all, &scan.request),
              "MPI_Iexscan");
    watch_.wait({"summing over the ranks", ++collectives_, {}}, [&] { return scan.test(); });
    std::int64_t before = 0;
    if (!is_root()) std::memcpy(&before, scan.in.data(), sizeof before);  // undefined on the root
    return before;
  }

 private:
  /// One communicator for each kind of call.
  struct Objects {
    Objects(MPI_Comm comm, MPI_Comm own)
        : messages(own), gathers(duplicate(comm)), agreements(duplicate(comm)), reductions(comm) {}
    MpiComm messages, gathers, agreements;
    MpiReductionTree reductions;
  };

  void fold_some(std::span<ReductionBlock> blocks, const MpiWait& what) {
    MpiReduction reduction(mpi_->reductions, blocks);
    watch_.wait(what, [&] { return reduction.test(); });
    reduction.copy_result(blocks);
  }

  /// Returns when all ranks have called it, with one fingerprint.
  void agree(const MpiWait& what, const std::function<void()>& meanwhile) {
    const std::uint64_t fingerprint = watch_.fingerprint();
    const std::uint64_t mine[2] = {fingerprint, ~fingerprint};
    std::uint64_t largest[2] = {0, 0};
    MpiCollective reduction(std::as_bytes(std::span(mine)), sizeof largest);
    mpi_check(MPI_Iallreduce(reduction.out.data(), reduction.in.data(), 2, MPI_UINT64_T, MPI_MAX,
                             mpi_->agreements, &reduction.request),
              "MPI_Iallreduce");
    watch_.wait(what, [&] { return meanwhile(), reduction.test(); });
    std::memcpy(largest, reduction.in.data(), sizeof largest);
    if (largest[0] != fingerprint || largest[1] != ~fingerprint)
      report_other(mpi_->agreements, fingerprint, what);
  }

  /// After a mismatch of fingerprints: finds a rank with a different one. Collective.
  [[noreturn]] void report_other(MPI_Comm comm, std::uint64_t fingerprint, const MpiWait& what) {
    const Bytes all = gather(comm, std::as_bytes(std::span(&fingerprint, 1)), what);
    int other = 0;
    while (other + 1 < size() &&
           std::memcmp(&all[other * sizeof fingerprint], &fingerprint, sizeof fingerprint) == 0)
      ++other;
    watch_.report_mismatch(other, what.operation);
  }

  /// One MPI_Iallgather.
  Bytes gather(MPI_Comm comm, std::span<const std::byte> mine, const MpiWait& what) {
    MpiCollective all(mine, mine.size() * size());
    const int bytes = static_cast<int>(mine.size());
    mpi_check(MPI_Iallgather(all.out.data(), bytes, MPI_BYTE, all.in.data(), bytes, MPI_BYTE, comm,
                             &all.request),
              "MPI_Iallgather");
    watch_.wait(what, [&] { return all.test(); });
    return std::move(all.in);
  }

  /// Sends to all of `to`, or receives from `from`.
  void transfer(std::span<std::byte> bytes, std::span<const int> to, std::optional<int> from,
                std::uint64_t number) {
    MpiRequests requests;
    Bytes buffer(bytes.begin(), bytes.end());
    for (std::size_t begin = 0; begin < bytes.size(); begin += options_.largest_message) {
      const int size = static_cast<int>(std::min(bytes.size() - begin, options_.largest_message));
      MPI_Request request;
      if (from) {
        mpi_check(MPI_Irecv(&buffer[begin], size, MPI_BYTE, *from, broadcast_tag, mpi_->messages,
                            &request),
                  "MPI_Irecv");
        requests.add(request, *from, size);
      }
      for (const int rank : to) {
        mpi_check(MPI_Isend(&buffer[begin], size, MPI_BYTE, rank, broadcast_tag, mpi_->messages,
                            &request),
                  "MPI_Isend");
        requests.add(request, rank);
      }
    }
    const MpiWait what{"in a broadcast", number, [&] { return requests.peers_under_way(); }};
    try {
      watch_.wait(what, [&] { return requests.test(); });
    } catch (const MpiRequests::Fault& fault) {
      watch_.report_mismatch(fault.peer, what.operation);
    } catch (...) {
      abandon(std::move(buffer));
      throw;
    }
    if (from) std::copy(buffer.begin(), buffer.end(), bytes.begin());
  }

  void require_rank(int rank) const {
    core::ensure(rank >= 0 && rank < size(), "a message to or from an invalid rank");
  }

  MpiOptions options_;
  std::unique_ptr<Objects> mpi_;
  MpiWatch watch_;
  std::uint64_t channel_tags_ = 32767 - first_channel_tag;  ///< the least that MPI guarantees
  std::uint64_t exchanges_ = 0, collectives_ = 0;
};

/// Collective over `comm`.
std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm comm, const MpiOptions& options) {
  int size = 1;
  mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return std::make_unique<MpiCommunicator>(comm, duplicate(comm), rank_in(comm), size, options);
}

/// Acts when MPI_Finalize is called: it first deletes the attributes of MPI_COMM_SELF.
class FinalizeHook {
 public:
  explicit FinalizeHook(std::function<void()> action) : action_(std::move(action)) {
    mpi_check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &FinalizeHook::act, &key_, nullptr),
              "MPI_Comm_create_keyval");
    mpi_check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), "MPI_Comm_set_attr");
  }
  ~FinalizeHook() {
    action_ = nullptr;
    if (!mpi_is_running()) return;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

 private:
  static int act(MPI_Comm, int, void* hook, void*) {
    try {
      const auto action = std::exchange(static_cast<FinalizeHook*>(hook)->action_, nullptr);
      if (action) action();
      return MPI_SUCCESS;
    } catch (...) {  // of the program's error handler; MPI is no C++
      return MPI_ERR_OTHER;
    }
  }

  std::function<void()> action_;
  int key_ = MPI_KEYVAL_INVALID;
};

class Session final : public MpiSession {
 public:
  Session(std::optional<int> fortran_handle, const MpiOptions& options) {
    core::ensure(options.largest_message > 0 && options.largest_message <= 2147483647,
                 "the largest message exceeds INT_MAX bytes");
    if (!options.accepts_two_libraries) check_single_mpi();
    int finalized = 0, granted = 0;
    mpi_check(MPI_Finalized(&finalized), "MPI_Finalized");
    if (finalized)
      core::fail(
          ErrorCode::communication_failure,
          "MPI has been finalised and cannot be started again: op_init, after the end of MPI by "
          "the program or by the op_exit of a session that had started it; call MPI_Init_thread "
          "before the first op_init and MPI_Finalize after the last op_exit");
    began_ = !mpi_is_running();
    if (began_)
      mpi_check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted),
                "MPI_Init_thread");
    mpi_check(MPI_Query_thread(&granted), "MPI_Query_thread");
    threads_allowed = granted == MPI_THREAD_MULTIPLE;
    const MPI_Comm comm = fortran_handle ? MPI_Comm_f2c(*fortran_handle) : MPI_COMM_WORLD;
    communicator = make_mpi_communicator(comm, options);
  }

  void on_finalize(std::function<void()> action) override { hook_.emplace(std::move(action)); }

  ~Session() override {
    hook_.reset();
    communicator.reset();
    if (began_ && mpi_is_running()) MPI_Finalize();
  }

 private:
  bool began_ = false;
  std::optional<FinalizeHook> hook_;
};

}  // namespace

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  mpi_check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  std::string name;  // the first line, up to a comma: "Open MPI v4.1.4"
  for (const char c : std::string_view(text, length)) {
    if (c == '\n' || c == ',') break;
    const bool is_space = c == ' ' || c == '\t';
    if (!is_space)
      name += c;
    else if (!name.empty() && name.back() != ' ')
      name += ' ';
  }
  return name;
}

bool mpi_is_running() {
  int initialised = 0, finalised = 0;
  mpi_check(MPI_Initialized(&initialised), "MPI_Initialized");
  mpi_check(MPI_Finalized(&finalised), "MPI_Finalized");
  return initialised && !finalised;
}

void end_mpi() {
  if (mpi_is_running()) mpi_check(MPI_Finalize(), "MPI_Finalize");
}

std::unique_ptr<MpiSession> start_mpi(std::optional<int> fortran_handle,
                                      const MpiOptions& options) {
  const Launch launch = this_launch();
  auto session = std::make_unique<Session>(fortran_handle, options);
  if (!fortran_handle && session->communicator->size() == 1) check_alone(launch, mpi_library());
  return session;
}

}  // namespace op2::comm
