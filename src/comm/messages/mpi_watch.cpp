// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_watch.hpp>

#include <sched.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/records.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

using namespace std::chrono_literals;

constexpr int spins = 50;  ///< polls before a rank yields its core
constexpr auto before_naps = 2ms;
constexpr auto nap = 50us;
constexpr auto between_rounds = 2s;
constexpr std::size_t questions_per_round = 16;
constexpr auto answer_timeout = 5s;  ///< to wait for the answer of a rank that is known to differ

/// A rank that waits long yields its core to working ranks.
void rest(core::Clock::duration waited) {
  if (waited < before_naps)
    sched_yield();
  else
    std::this_thread::sleep_for(nap);
}

/// "rank 3", "ranks 1, 2 and 5".
std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t k = 0; k < ranks.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? " " : k + 1 < ranks.size() ? ", " : " and ", ranks[k]);
  return text;
}

}  // namespace

MpiWatch::MpiWatch(MPI_Comm comm, const MpiOptions& options)
    : comm_(duplicate(comm)),
      ask_after_(core::clock_duration(options.seconds_before_asking)),
      report_after_(core::clock_duration(options.seconds_before_reporting)) {
  comm_.keep();  // questions may still be in flight
  rank_ = rank_in(comm_);
  mpi_check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

MpiWatch::~MpiWatch() {
  if (!mpi_is_running()) return;
  const auto deadline = Clock::now() + 1s;  // a last answer or verdict may be in flight
  while (!outbox_.empty() && Clock::now() < deadline) {
    outbox_.remove_if([](ControlMessage& note) {
      int ended = 0;
      return MPI_Test(&note.request, &ended, MPI_STATUS_IGNORE) != MPI_SUCCESS || ended;
    });
    rest(before_naps);
  }
  abandon(std::move(outbox_));
  abandon(std::move(inbox_));
}

void MpiWatch::set_signature(CollectiveSignature signature) {
  if (!mpi_is_running())
    core::fail(ErrorCode::communication_failure,
               "MPI has been finalised during a session: MPI_Finalize was called before op_exit; "
               "call it after op_exit");
  signature_ = std::move(signature);
}

void MpiWatch::wait(const MpiWait& what, const std::function<bool()>& done) {
  if (failure_) throw Error(*failure_);
  for (int k = 0; k < spins; ++k)
    if (done()) return;
  begin_wait();
  struct Guard {
    const MpiWait*& waiting;
    ~Guard() { waiting = nullptr; }
  } guard{waiting_};
  waiting_ = &what;
  const auto begin = Clock::now();
  auto next_round = begin + ask_after_;
  bool reported = false;
  while (!done()) {
    const auto now = Clock::now();
    poll_control_messages();
    if (now >= next_round) {
      throw_if_proven();
      ask();
      next_round = now + std::min<Clock::duration>(between_rounds, ask_after_);
    }
    if (!reported && now - begin >= report_after_) {
      reported = true;
      report_long_wait();
    }
    rest(now - begin);
  }
}

void MpiWatch::begin_wait() {
  ++waits_;
  states_.clear();
  asked_.clear();
}

void MpiWatch::report_mismatch(int peer, std::string_view operation) {
  const MpiWait what{operation, 0, [peer] { return std::vector{peer}; }};
  const MpiWait* before = std::exchange(waiting_, &what);
  begin_wait();
  const auto begin = Clock::now();
  for (auto next = begin; !states_.contains(peer) && Clock::now() < begin + answer_timeout;) {
    if (Clock::now() >= next) {
      send(peer, question, packed(my_state()));
      next = Clock::now() + answer_timeout;
    }
    poll_control_messages();
    rest(before_naps);
  }
  const WaitState mine = my_state();
  waiting_ = before;
  const Position here{rank_, mine.fingerprint, mine.steps};
  const auto theirs = states_.find(peer);
  if (theirs == states_.end())
    fail(
        collective_mismatch(here, {peer, 0, "an unknown call; it has not answered for 5 seconds"}));
  fail(collective_mismatch(here, {peer, theirs->second.fingerprint, theirs->second.steps}));
}

MpiWatch::WaitState MpiWatch::my_state() const {
  WaitState state;
  state.fingerprint = signature_.fingerprint;
  state.wait = waits_;
  state.for_all = !waiting_->missing;
  if (waiting_->missing) state.missing = waiting_->missing();
  if (signature_.describe) state.steps = signature_.describe() + "\n";
  state.steps += waiting_->operation;
  if (waiting_->number > 0) state.steps += fmt::format(", number {}", waiting_->number);
  return state;
}

void MpiWatch::send(int to, Kind kind, Bytes bytes) {
  ControlMessage& note =
      outbox_.emplace_back(ControlMessage{MPI_REQUEST_NULL, std::move(bytes), to, kind});
  mpi_check(MPI_Isend(note.bytes.data(), static_cast<int>(note.bytes.size()), MPI_BYTE, to, kind,
                      comm_, &note.request),
            "MPI_Isend");
}

void MpiWatch::poll_control_messages() {
  const auto has_ended = [](ControlMessage& note) {
    int ended = 0;
    mpi_check(MPI_Test(&note.request, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    return ended != 0;
  };
  outbox_.remove_if(has_ended);
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  mpi_check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, &message, &status),
            "MPI_Improbe");
  if (found) {
    int size = 0;
    mpi_check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    ControlMessage& note = inbox_.emplace_back(ControlMessage{
        MPI_REQUEST_NULL, Bytes(size), status.MPI_SOURCE, static_cast<Kind>(status.MPI_TAG)});
    mpi_check(MPI_Imrecv(note.bytes.data(), size, MPI_BYTE, &message, &note.request), "MPI_Imrecv");
  }
  const auto ended = std::find_if(inbox_.begin(), inbox_.end(), has_ended);
  if (ended == inbox_.end()) return;
  const ControlMessage note = std::move(*ended);
  inbox_.erase(ended);
  accept(note);
}

void MpiWatch::accept(const ControlMessage& note) {
  WaitState state = unpacked(note.bytes);
  if (note.kind == verdict) {
    failure_.emplace(static_cast<ErrorCode>(state.code), state.steps);
    throw Error(*failure_);
  }
  if (note.kind == question) {
    WaitState mine = my_state();
    mine.echo = state.wait;
    return send(note.peer, answer, packed(mine));
  }
  if (state.echo != waits_) return;  // to a question of an earlier wait
  const auto known = states_.find(note.peer);
  if (known != states_.end() && known->second.wait == state.wait)
    state.seen = known->second.seen + 1;
  states_[note.peer] = std::move(state);
}

/// The ranks that this one waits for, and those that ranks which have answered wait for. Ranks in
/// other calls come first, since they must answer twice.
std::vector<int> MpiWatch::whom_to_ask(const WaitState& mine) const {
  std::set<int> in_other_calls, unknown;
  const auto add_missing = [&](const WaitState& state) {
    for (const int rank : state.missing)
      if (rank != rank_ && !states_.contains(rank)) unknown.insert(rank);
  };
  add_missing(mine);
  for (const auto& [rank, state] : states_) {
    if (!mine.for_all || !same_call(mine, state)) in_other_calls.insert(rank);
    add_missing(state);
  }
  for (int rank = 0; mine.for_all && rank < size_; ++rank)
    if (rank != rank_ && !states_.contains(rank)) unknown.insert(rank);
  std::vector<int> ranks(unknown.begin(), unknown.end());
  if (!ranks.empty())
    std::rotate(ranks.begin(), ranks.begin() + static_cast<int>(rotation_ % ranks.size()),
                ranks.end());
  ranks.insert(ranks.begin(), in_other_calls.begin(), in_other_calls.end());
  ranks.resize(std::min(ranks.size(), questions_per_round));
  return ranks;
}

void MpiWatch::ask() {
  WaitState mine = my_state();
  const auto ranks = whom_to_ask(mine);
  mine.steps.clear();  // the answer is what matters
  for (const int rank : ranks) send(rank, question, packed(mine));
  asked_.insert(ranks.begin(), ranks.end());
  rotation_ += ranks.size();
}

bool MpiWatch::same_call(const WaitState& a, const WaitState& b) {
  const auto call = [](const WaitState& state) {
    return std::string_view(state.steps).substr(state.steps.rfind('\n') + 1);
  };
  return a.fingerprint == b.fingerprint && call(a) == call(b);
}

bool MpiWatch::waits_for(const WaitState& from, int from_rank, const WaitState& to, int to_rank) {
  if (from_rank == to_rank) return false;
  if (from.for_all) return !same_call(from, to);
  return std::find(from.missing.begin(), from.missing.end(), to_rank) != from.missing.end();
}

bool MpiWatch::reaches(const std::map<int, WaitState>& states, int from, int to) {
  std::set<int> seen{from};
  std::vector<int> open{from};
  while (!open.empty()) {
    const int rank = open.back();
    open.pop_back();
    for (const auto& [next, state] : states)
      if (waits_for(states.at(rank), rank, state, next) && seen.insert(next).second)
        open.push_back(next);
  }
  return seen.contains(to);
}

void MpiWatch::throw_if_proven() {
  std::map<int, WaitState> states{{rank_, my_state()}};
  for (const auto& [rank, state] : states_)
    if (state.seen > 1) states.emplace(rank, state);
  const WaitState& mine = states.at(rank_);
  const WaitState* culprit = nullptr;
  Position there{};
  for (const auto& [rank, state] : states) {
    if (same_call(mine, state) || !reaches(states, rank_, rank) || !reaches(states, rank, rank_))
      continue;
    // A rank with another fingerprint is better evidence than one further on in the same step.
    if (culprit != nullptr &&
        (culprit->fingerprint != mine.fingerprint || state.fingerprint == mine.fingerprint))
      continue;
    culprit = &state;
    there = {rank, state.fingerprint, state.steps};
  }
  if (culprit != nullptr) fail(collective_mismatch({rank_, mine.fingerprint, mine.steps}, there));
}

void MpiWatch::fail(const Error& error) {
  failure_ = error;
  WaitState state;
  state.code = static_cast<std::uint64_t>(error.code());
  state.steps = core::text_without_code(error.what());  // Error adds the code again
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_) send(rank, verdict, packed(state));
  throw Error(error);
}

Bytes MpiWatch::packed(const WaitState& state) {
  Bytes bytes;
  for (const std::uint64_t number : {state.fingerprint, state.code, state.wait, state.echo,
                                     std::uint64_t{state.for_all}, state.missing.size()})
    put(bytes, number);
  put_many(bytes, std::span<const int>(state.missing));
  put_many(bytes, std::span<const char>(state.steps));
  return bytes;
}

MpiWatch::WaitState MpiWatch::unpacked(const Bytes& bytes) {
  Reader reader(bytes);
  WaitState state;
  for (std::uint64_t* number : {&state.fingerprint, &state.code, &state.wait, &state.echo})
    *number = reader.get<std::uint64_t>();
  state.for_all = reader.get<std::uint64_t>() != 0;
  state.missing = reader.get_many<int>(reader.get<std::uint64_t>());
  state.steps = text_of(reader.rest());
  return state;
}

/// One rank tells of a collective call: the lowest of those that wait in it. Ranks that wait for a
/// waiting one say nothing: that one does, or is in a mismatch.
void MpiWatch::report_long_wait() const {
  const std::vector<int> silent = silent_ranks();
  if (!report_ || silent.empty()) return;
  for (int rank = 0; !waiting_->missing && rank < rank_; ++rank)
    if (std::find(silent.begin(), silent.end(), rank) == silent.end()) return;
  const WaitPurpose of = purpose();
  const std::string why = of.why.empty() ? "it computes, writes a file, or stands still" : of.why;
  report_(fmt::format(
      "a long wait: rank {} waits for {}, for {}, {:.3g} s so far; no answer, because {}", rank_,
      list_of(silent), of.what, std::chrono::duration<double>(report_after_).count(), why));
}

/// Of the ranks that this one waits for, those that were asked and have not answered.
std::vector<int> MpiWatch::silent_ranks() const {
  const WaitState mine = my_state();
  std::vector<int> silent;
  for (const int rank : asked_)
    if (!states_.contains(rank) && (mine.for_all || waits_for(mine, rank_, mine, rank)))
      silent.push_back(rank);
  return silent;
}

/// Without a purpose: the call that the rank is in.
WaitPurpose MpiWatch::purpose() const {
  if (purpose_) return purpose_();
  const std::string steps = signature_.describe ? signature_.describe() : "";
  return {steps.empty() ? "a message" : steps.substr(0, steps.find('\n')), ""};
}

/// A rank that is in the call which this one was in last may be about to leave it: it must stay for
/// all rounds. Ranks that also end are asked once, so a job that ends everywhere exchanges one
/// question and one answer for each pair of ranks. If all end, other ranks may compute for long
/// before they wait for this one, or end, too; otherwise the search ends after some rounds.
std::optional<std::string> MpiWatch::waiting_rank(bool all_end) {
  constexpr int rounds = 4;
  if (size_ == 1) return {};
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (all_end) mpi_check(MPI_Ibarrier(comm_, &barrier), "MPI_Ibarrier");
  const MpiWait what{"ending the program", 0, [] { return std::vector<int>(); }};
  const MpiWait* before = std::exchange(waiting_, &what);
  begin_wait();
  const WaitState mine = my_state();
  const auto ends_too = [](const auto& entry) {
    return !entry.second.for_all && entry.second.missing.empty();
  };
  const auto waits = [&](const auto& entry) {
    const auto& [rank, state] = entry;
    if (all_end && !waits_for(state, rank, mine, rank_)) return false;
    return !ends_too(entry) && (state.fingerprint != mine.fingerprint || state.seen >= rounds);
  };
  const auto found = [&] { return std::find_if(states_.begin(), states_.end(), waits); };
  bool is_over = false;
  const auto goes_on = [&] {
    int ended = 0;
    if (all_end && !is_over) mpi_check(MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    is_over = is_over || ended != 0;
    return !is_over && found() == states_.end();
  };
  WaitState asking = mine;
  asking.steps.clear();  // the answer is what matters
  for (int round = 0; goes_on() && (all_end || round < rounds); ++round) {
    for (int rank = 0; rank < size_; ++rank) {
      const auto known = states_.find(rank);
      const bool ends = known != states_.end() && ends_too(*known);
      const bool is_silent = all_end && round > 0 && known == states_.end();  // it has a question
      if (rank != rank_ && !ends && !is_silent) send(rank, question, packed(asking));
    }
    const auto pause = round < rounds ? 250ms : 2000ms;
    for (const auto end = Clock::now() + pause; Clock::now() < end && goes_on();) {
      poll_control_messages();
      std::this_thread::sleep_for(50us);
    }
  }
  waiting_ = before;
  const auto first = found();
  if (is_over || first == states_.end()) return {};
  const auto& [rank, state] = *first;
  return fmt::format("rank {} is at: {}", rank, state.steps.substr(0, state.steps.find('\n')));
}

}  // namespace op2::comm
