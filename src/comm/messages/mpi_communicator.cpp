// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_communicator.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/launcher.hpp>
#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/mpi_messages.hpp>
#include <comm/messages/mpi_reduction.hpp>
#include <comm/messages/mpi_watch.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

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

class MpiCommunicator final : public Communicator {
 public:
  /// @param messages  a duplicate of `comm`, owned from now on
  MpiCommunicator(MPI_Comm comm, MPI_Comm messages, int rank, int size, const MpiOptions& options)
      : Communicator(rank, size, {rank_on_node(comm), mpi_is_gpu_aware(), MPI_Comm_c2f(messages)}),
        options_(options),
        messages_(messages),
        gathers_(duplicate(comm)),
        agreements_(duplicate(comm)),
        reductions_(comm),
        watch_(comm, {options.seconds_before_asking, options.seconds_before_reporting}) {
    int* largest_tag = nullptr;
    int known = 0;
    mpi_check(MPI_Comm_get_attr(messages_, MPI_TAG_UB, &largest_tag, &known), "MPI_Comm_get_attr");
    if (known) channel_tags_ = static_cast<std::uint64_t>(*largest_tag - first_channel_tag);
  }

  ~MpiCommunicator() override {
    if (!watch_.has_failed()) return;
    for (MpiComm* comm : {&messages_, &gathers_, &agreements_}) comm->keep();
    reductions_.keep();
  }

  WaitWatch& watch() override { return watch_; }
  std::vector<Message> exchange(std::vector<Message> outgoing) override;
  Bytes gather_all(std::span<const std::byte> mine) override;
  Bytes broadcast(Bytes bytes, int root) override;
  std::unique_ptr<Channel> open_channel(std::vector<Peer> sends, std::vector<Peer> receives,
                                        const core::HostAllocator& allocate) override;
  void reduce_by(core::ReduceMode mode, int ranks_per_node) override;
  double seconds() const override { return MPI_Wtime(); }
  void end_job(int exit_code) override {
    if (size() > 1 && mpi_is_running()) MPI_Abort(messages_, exit_code);
  }

 protected:
  void fold(std::span<ReductionBlock> blocks, const std::string& operation) override;
  std::int64_t sum_before(std::int64_t mine) override;

 private:
  void fold_some(std::span<ReductionBlock> blocks, const MpiWait& what);
  [[noreturn]] void report_other(MPI_Comm comm, std::uint64_t fingerprint, const MpiWait& what);
  void agree(const MpiWait& what, const std::function<void()>& meanwhile);
  Bytes gather(MPI_Comm comm, std::span<const std::byte> mine, const MpiWait& what);
  void transfer(std::span<std::byte> bytes, std::span<const int> to, std::optional<int> from,
                std::uint64_t number);
  void require_rank(int rank) const {
    core::ensure(rank >= 0 && rank < size(), "a message to or from an invalid rank");
  }

  MpiOptions options_;
  MpiComm messages_, gathers_, agreements_;  ///< one for each kind of call
  MpiReductionTree reductions_;
  MpiWatch watch_;
  std::uint64_t channel_tags_ = 32767 - first_channel_tag;  ///< the least that MPI guarantees
  std::uint64_t exchanges_ = 0, collectives_ = 0;
};

std::vector<Message> MpiCommunicator::exchange(std::vector<Message> outgoing) {
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
  MpiExchange under_way(messages_, tag, options_.largest_message, std::move(outgoing));
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

/// Returns when all ranks have called it, with one fingerprint.
void MpiCommunicator::agree(const MpiWait& what, const std::function<void()>& meanwhile) {
  const std::uint64_t fingerprint = watch_.fingerprint();
  const std::uint64_t mine[2] = {fingerprint, ~fingerprint};
  std::uint64_t largest[2] = {0, 0};
  MpiCollective reduction;
  reduction.out.resize(sizeof mine);
  reduction.in.resize(sizeof largest);
  std::memcpy(reduction.out.data(), mine, sizeof mine);
  mpi_check(MPI_Iallreduce(reduction.out.data(), reduction.in.data(), 2, MPI_UINT64_T, MPI_MAX,
                           agreements_, &reduction.request),
            "MPI_Iallreduce");
  watch_.wait(what, [&] { return meanwhile(), reduction.test(); });
  std::memcpy(largest, reduction.in.data(), sizeof largest);
  if (largest[0] != fingerprint || largest[1] != ~fingerprint)
    report_other(agreements_, fingerprint, what);
}

/// After a mismatch of fingerprints: finds a rank with a different one. Collective.
void MpiCommunicator::report_other(MPI_Comm comm, std::uint64_t fingerprint, const MpiWait& what) {
  const Bytes all = gather(comm, std::as_bytes(std::span(&fingerprint, 1)), what);
  int other = 0;
  while (other + 1 < size() &&
         std::memcmp(&all[other * sizeof fingerprint], &fingerprint, sizeof fingerprint) == 0)
    ++other;
  watch_.report_mismatch(other, what.operation);
}

void MpiCommunicator::fold(std::span<ReductionBlock> blocks, const std::string& operation) {
  const std::uint64_t mine = blocks.front().greatest;
  const MpiWait what{operation, ++collectives_, {}};
  fold_some(blocks.first(1), what);  // alone: other ranks may have a different number of blocks
  if (!blocks.front().agrees()) report_other(reductions_.all, mine, what);
  constexpr std::size_t at_once = INT_MAX / sizeof(ReductionBlock);
  for (auto rest = blocks.subspan(1); !rest.empty();) {
    const auto part = rest.first(std::min(rest.size(), at_once));
    fold_some(part, what);
    rest = rest.subspan(part.size());
  }
}

void MpiCommunicator::fold_some(std::span<ReductionBlock> blocks, const MpiWait& what) {
  MpiReduction reduction(reductions_, blocks);
  watch_.wait(what, [&] { return reduction.test(); });
  reduction.copy_result(blocks);
}

void MpiCommunicator::reduce_by(core::ReduceMode mode, int ranks_per_node) {
  if (mode == core::ReduceMode::flat) return;
  auto nodes = std::make_unique<MpiNodes>(reductions_.all, ranks_per_node);
  const std::int64_t count = sum(nodes->leads() ? 1 : 0, "counting nodes");
  const bool gains = count > 1 && count < size();
  if (mode == core::ReduceMode::by_node || gains) reductions_.nodes = std::move(nodes);
}

std::int64_t MpiCommunicator::sum_before(std::int64_t mine) {
  MpiCollective scan;
  scan.out.resize(sizeof mine);
  scan.in.resize(sizeof mine);
  std::memcpy(scan.out.data(), &mine, sizeof mine);
  mpi_check(MPI_Iexscan(scan.out.data(), scan.in.data(), 1, MPI_INT64_T, MPI_SUM, reductions_.all,
                        &scan.request),
            "MPI_Iexscan");
  watch_.wait({"summing over the ranks", ++collectives_, {}}, [&] { return scan.test(); });
  std::int64_t before = 0;
  if (!is_root()) std::memcpy(&before, scan.in.data(), sizeof before);  // undefined on the root
  return before;
}

/// One MPI_Iallgather.
Bytes MpiCommunicator::gather(MPI_Comm comm, std::span<const std::byte> mine, const MpiWait& what) {
  MpiCollective all;
  all.out.assign(mine.begin(), mine.end());
  all.in.resize(mine.size() * size());
  const int bytes = static_cast<int>(mine.size());
  mpi_check(MPI_Iallgather(all.out.data(), bytes, MPI_BYTE, all.in.data(), bytes, MPI_BYTE, comm,
                           &all.request),
            "MPI_Iallgather");
  watch_.wait(what, [&] { return all.test(); });
  return std::move(all.in);
}

Bytes MpiCommunicator::gather_all(std::span<const std::byte> mine) {
  const MpiWait what{"gathering from all ranks", ++collectives_, {}};
  Block block{watch_.fingerprint(), mine.size(), {}};
  const std::size_t size_in_block = std::min(mine.size(), sizeof block.bytes);
  if (size_in_block > 0) std::memcpy(block.bytes, mine.data(), size_in_block);
  const Bytes blocks = gather(gathers_, std::as_bytes(std::span(&block, 1)), what);
  const std::size_t ranks = size();
  Bytes all(mine.size() * ranks);
  for (std::size_t other = 0; other < ranks; ++other) {
    Block theirs;
    std::memcpy(&theirs, &blocks[other * sizeof theirs], sizeof theirs);
    if (theirs.fingerprint != block.fingerprint || theirs.size != block.size)
      watch_.report_mismatch(static_cast<int>(other),
                             fmt::format("gathering {} bytes from all ranks", mine.size()));
    if (size_in_block > 0) std::memcpy(&all[other * mine.size()], theirs.bytes, size_in_block);
  }
  for (std::size_t begin = size_in_block; begin < mine.size();) {
    const auto segment =
        mine.subspan(begin, std::min(mine.size() - begin, options_.largest_message));
    const Bytes segments = gather(gathers_, segment, what);
    for (std::size_t other = 0; other < ranks; ++other)
      std::memcpy(&all[other * mine.size() + begin], &segments[other * segment.size()],
                  segment.size());
    begin += segment.size();
  }
  return all;
}

struct BroadcastHeader {
  std::uint64_t fingerprint, number, size;
};

Bytes MpiCommunicator::broadcast(Bytes bytes, int root) {
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

/// Sends to all of `to`, or receives from `from`.
void MpiCommunicator::transfer(std::span<std::byte> bytes, std::span<const int> to,
                               std::optional<int> from, std::uint64_t number) {
  MpiRequests requests;
  Bytes buffer(bytes.begin(), bytes.end());
  for (std::size_t begin = 0; begin < bytes.size(); begin += options_.largest_message) {
    const int size = static_cast<int>(std::min(bytes.size() - begin, options_.largest_message));
    MPI_Request request;
    if (from) {
      mpi_check(
          MPI_Irecv(&buffer[begin], size, MPI_BYTE, *from, broadcast_tag, messages_, &request),
          "MPI_Irecv");
      requests.add(request, *from, size);
    }
    for (const int rank : to) {
      mpi_check(MPI_Isend(&buffer[begin], size, MPI_BYTE, rank, broadcast_tag, messages_, &request),
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

std::unique_ptr<Channel> MpiCommunicator::open_channel(std::vector<Peer> sends,
                                                       std::vector<Peer> receives,
                                                       const core::HostAllocator& allocate) {
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
      MpiChannel::Endpoint{messages_, tag, number, options_.largest_message}, watch_, sends,
      receives, allocate);
}

/// Collective over `comm`.
std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm comm, const MpiOptions& options) {
  int rank = 0, size = 1;
  mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi_check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return std::make_unique<MpiCommunicator>(comm, duplicate(comm), rank, size, options);
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
    const auto action = std::exchange(static_cast<FinalizeHook*>(hook)->action_, nullptr);
    if (action) action();
    return MPI_SUCCESS;
  }

  std::function<void()> action_;
  int key_ = MPI_KEYVAL_INVALID;
};

class Session final : public MpiSession {
 public:
  Session(std::optional<int> fortran_handle, const MpiOptions& options) {
    core::ensure(options.largest_message > 0 && options.largest_message <= 2147483647,
                 "the largest message exceeds INT_MAX bytes");
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
  auto session = std::make_unique<Session>(fortran_handle, options);
  const int launched = launched_processes();
  if (!fortran_handle && launched > 1 && session->communicator->size() == 1)
    core::fail(ErrorCode::communication_failure,
               "the processes do not find each other: op_init, {} were launched, but each is alone "
               "in MPI_COMM_WORLD and would solve the whole problem; use the launcher of the MPI "
               "that libop2 was built with",
               launched);
  return session;
}

}  // namespace op2::comm
