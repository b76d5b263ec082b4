// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_pairs.hpp>

#include <utility>

namespace op2::comm {
namespace {

constexpr int tag = 0;

std::vector<PairTurn> turns_in(MPI_Comm ranks) {
  int rank = 0, size = 1;
  mpi_check(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  mpi_check(MPI_Comm_size(ranks, &size), "MPI_Comm_size");
  return pair_turns(rank, size);
}

}  // namespace

MpiPairs::MpiPairs(MPI_Comm ranks)
    : ranks_(ranks),
      turns_(turns_in(ranks)),
      turn_(turns_.size()),
      buffers_(std::make_unique<Buffers>()),
      requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL} {}

MpiPairs::~MpiPairs() {
  if (turn_ < turns_.size()) abandon(std::move(buffers_));  // an error interrupted the wait
}

void MpiPairs::start(const ReductionBlock& mine) {
  folded_ = mine;
  turn_ = 0;
  if (!turns_.empty()) begin_turn();
}

bool MpiPairs::test() {
  for (int ended = 0; turn_ < turns_.size();) {
    mpi_check(MPI_Testall(2, requests_.data(), &ended, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (!ended) return false;
    end_turn();
  }
  return true;
}

void MpiPairs::begin_turn() {
  const PairTurn& turn = turns_[turn_];
  if (turn.receives())
    mpi_check(MPI_Irecv(&buffers_->in, sizeof(ShortBlock) / sizeof(std::int64_t), MPI_INT64_T,
                        turn.partner, tag, ranks_, &requests_[0]),
              "MPI_Irecv");
  if (!turn.sends()) return;
  buffers_->out = ShortBlock(folded_);
  mpi_check(MPI_Isend(&buffers_->out, static_cast<int>(buffers_->out.length()), MPI_INT64_T,
                      turn.partner, tag, ranks_, &requests_[1]),
            "MPI_Isend");
}

void MpiPairs::end_turn() {
  const PairTurn& turn = turns_[turn_];
  if (turn.kind == PairTurn::Kind::takes)
    folded_ = buffers_->in.block();
  else if (turn.receives())
    folded_.fold(buffers_->in.block());
  if (++turn_ < turns_.size()) begin_turn();
}

}  // namespace op2::comm
