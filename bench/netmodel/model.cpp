// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

namespace netmodel {

namespace {

/// Of a program that waits without looking for other messages: so that it ends. libop2 polls for
/// progress once per loop and tile.
constexpr int polls_of_a_wait = 10'000'000;

/// Number of doubles in a Stamp.
constexpr int stamp_doubles = 2;

}  // namespace

Model::Model(const Network& network, WorkCosts costs)
    : network_(network), received_byte_(costs.received_byte), work_(std::move(costs)) {
  add(MPI_COMM_WORLD);
}

double Model::now() {
  charge_work();
  return clock_;
}

void Model::charge_work() {
  clock_ += work_.take();
}

void Model::pass_operation() {
  charge_work();
  waits_ = false;
  polls_ = 0;
}

void Model::add(MPI_Comm comm) {
  PMPI_Comm_dup(comm, &beside_[comm]);
}

void Model::remove(MPI_Comm comm) {
  const auto beside = beside_.find(comm);
  if (beside == beside_.end()) return;
  PMPI_Comm_free(&beside->second);
  beside_.erase(beside);
  untimed_.erase(comm);
}

bool Model::takes_part(MPI_Comm comm) {
  if (untimed_.contains(comm)) return false;
  const bool known = beside_.contains(comm);
  if (!known) ++strangers_;
  return known;
}

void Model::send(MPI_Comm comm, int peer, int tag, int bytes) {
  pass_operation();
  clock_ += network_.overhead;
  line_free_ = std::max(line_free_, clock_) + bytes * network_.seconds_per_byte;
  ++messages_;
  bytes_ += bytes;
  drop_delivered_stamps();
  Outgoing& out = outgoing_.emplace_back();
  out.stamp = {line_free_ + network_.latency, static_cast<double>(bytes)};
  PMPI_Isend(&out.stamp, stamp_doubles, MPI_DOUBLE, peer, tag, beside_.at(comm), &out.request);
}

void Model::drop_delivered_stamps() {
  int delivered = 1;
  while (!outgoing_.empty() && delivered) {
    PMPI_Test(&outgoing_.front().request, &delivered, MPI_STATUS_IGNORE);
    if (delivered) outgoing_.pop_front();
  }
}

void Model::receive(MPI_Request request, MPI_Comm comm, int peer, int tag) {
  pass_operation();
  Pending& pending = pending_[request];
  pending = {};
  pending.is_message = true;
  PMPI_Irecv(&pending.stamp, stamp_doubles, MPI_DOUBLE, peer, tag, beside_.at(comm),
             &pending.brings_stamp);
}

void Model::find(MPI_Message message, MPI_Comm comm, const MPI_Status& status) {
  charge_work();
  Stamp stamp;
  PMPI_Recv(&stamp, stamp_doubles, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, beside_.at(comm),
            MPI_STATUS_IGNORE);
  found_[message] = stamp;
}

void Model::receive_found(MPI_Request request, MPI_Message message) {
  const auto found = found_.extract(message);
  if (found.empty()) return;
  Pending pending;
  pending.stamp = found.mapped();
  pending.is_message = true;
  pending_[request] = pending;
}

void Model::collective(MPI_Request request, MPI_Comm comm, int bytes, Collective kind) {
  pass_operation();
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  if (ranks == 1) return;
  const int rounds = std::bit_width(static_cast<unsigned>(ranks - 1));
  Pending& pending = pending_[request];
  pending = {};
  pending.started = clock_;
  const int moved =
      kind == Collective::gathers ? ranks - 1 : rounds;  // times `bytes`, by each rank
  pending.after = rounds * (network_.latency + 2 * network_.overhead) +
                  moved * bytes * network_.seconds_per_byte;
  PMPI_Iallreduce(&pending.started, &pending.stamp.arrival, 1, MPI_DOUBLE, MPI_MAX,
                  beside_.at(comm), &pending.brings_stamp);
}

void Model::declare_send(MPI_Request request, MPI_Comm comm, int peer, int tag, int bytes) {
  persistent_[request] = {comm, peer, tag, bytes, true};
}

void Model::declare_receive(MPI_Request request, MPI_Comm comm, int peer, int tag) {
  persistent_[request] = {comm, peer, tag, 0, false};
}

void Model::start(MPI_Request request) {
  const auto found = persistent_.find(request);
  if (found == persistent_.end()) return;
  const Persistent& one = found->second;
  if (one.sends)
    send(one.comm, one.peer, one.tag, one.bytes);
  else
    receive(request, one.comm, one.peer, one.tag);
}

void Model::forget(MPI_Request request) {
  persistent_.erase(request);
  pending_.erase(request);
}

bool Model::is_known(Pending& pending) {
  if (pending.brings_stamp == MPI_REQUEST_NULL) return true;
  int ended = 0;
  PMPI_Test(&pending.brings_stamp, &ended, MPI_STATUS_IGNORE);
  return ended != 0;
}

bool Model::brings_something(std::span<const MPI_Request> requests) const {
  return std::ranges::any_of(requests, [&](auto request) { return pending_.contains(request); });
}

bool Model::may_have_ended(std::span<const MPI_Request> requests) {
  if (!waits_ && ++polls_ < polls_of_a_wait) return false;
  bool all_known = true;
  for (const MPI_Request request : requests) {
    const auto found = pending_.find(request);
    if (found != pending_.end()) all_known = is_known(found->second) && all_known;
  }
  return all_known;
}

void Model::have_ended(std::span<const MPI_Request> requests) {
  pass_operation();
  double latest = clock_, bytes = 0;
  int messages = 0;
  for (const MPI_Request request : requests) {
    const auto found = pending_.extract(request);
    if (found.empty()) continue;
    const Pending& pending = found.mapped();
    latest = std::max(latest, pending.stamp.arrival + pending.after);
    if (!pending.is_message) continue;
    ++messages;
    bytes += pending.stamp.bytes;
  }
  waited_ += latest - clock_;
  // Several messages are unpacked when all have arrived.
  clock_ = latest + messages * network_.overhead + bytes * received_byte_;
}

std::string Model::report() {
  charge_work();
  const double mine[] = {clock_, waited_};
  double most[2] = {};
  PMPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const long long counted[] = {messages_, bytes_, strangers_};
  long long all[3] = {};
  PMPI_Reduce(counted, all, 3, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  char line[240];
  std::snprintf(line, sizeof line,
                "netmodel: latency %g us, overhead %g us, %g ns/KB: %.9f s on the slowest clock, "
                "longest wait in all %.9f s, %lld messages, %lld bytes",
                network_.latency * 1e6, network_.overhead * 1e6, network_.seconds_per_byte * 1e12,
                most[0], most[1], all[0], all[1]);
  if (all[2] == 0) return line;
  return std::string(line) + ", " + std::to_string(all[2]) +
         " calls left out: their communicator was not made by MPI_Comm_dup";
}

}  // namespace netmodel
