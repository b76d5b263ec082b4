// SPDX-License-Identifier: BSD-3-Clause
// What a watch tells of waits that are long, and asks before this rank ends the program.
#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/mpi_watch.hpp>

namespace op2::comm {

namespace {

using namespace std::chrono_literals;

/// "rank 3", "ranks 1, 2 and 5".
std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t k = 0; k < ranks.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? " " : k + 1 < ranks.size() ? ", " : " and ", ranks[k]);
  return text;
}

}  // namespace

/// One rank tells of a collective call: the lowest of those that wait in it. Ranks that wait for a
/// waiting one say nothing: that one does, or is in a mismatch.
void MpiWatch::tell_of_wait() const {
  const std::vector<int> silent = silent_ranks();
  if (!tell_ || silent.empty()) return;
  for (int rank = 0; !waiting_->missing && rank < rank_; ++rank)
    if (std::find(silent.begin(), silent.end(), rank) == silent.end()) return;
  const WaitPurpose of = purpose();
  const std::string why = of.why.empty() ? "it computes, writes a file, or stands still" : of.why;
  tell_(fmt::format(
      "a long wait: rank {} waits for {}, for {}, {:.3g} s so far; no answer, because {}", rank_,
      list_of(silent), of.what, std::chrono::duration<double>(before_telling_).count(), why));
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

std::optional<std::string> MpiWatch::waiting_rank() {
  return find_waiting_rank({});
}

/// Other ranks may compute for long before they wait for this one, or end MPI, too.
std::optional<std::string> MpiWatch::waiting_rank_at_end() {
  if (size_ == 1) return {};
  MPI_Request barrier = MPI_REQUEST_NULL;
  mpi_check(MPI_Ibarrier(comm_, &barrier), "MPI_Ibarrier");
  return find_waiting_rank([&] {
    int ended = 0;
    mpi_check(MPI_Test(&barrier, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    return ended != 0;
  });
}

/// A rank that is in the call which this one was in last may be about to leave it: it must stay for
/// all rounds. Ranks that also end are asked once, so a job that ends everywhere exchanges one
/// question and one answer for each pair of ranks.
/// @param all_end  null: the search ends after some rounds
std::optional<std::string> MpiWatch::find_waiting_rank(const std::function<bool()>& all_end) {
  constexpr int rounds = 4;
  if (size_ == 1) return {};
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
    is_over = is_over || (all_end && all_end());
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
      read_notes();
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
