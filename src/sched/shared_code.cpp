// SPDX-License-Identifier: BSD-3-Clause
#include <sched/shared_code.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/collective_mismatch.hpp>
#include <comm/messages/records.hpp>
#include <core/hash.hpp>

namespace op2::sched {
namespace {

/// What each rank tells the others first. Sent as it is in memory: bytes only.
struct Introduction {
  core::Digest target{};  ///< zeros: this rank cannot run code
  core::Digest loops{};   ///< of what it misses
};

/// One line per loop, for comparing ranks. Texts of included files count too: they are read from
/// disk, so they may differ where programs do not.
std::string describe(std::span<const jit::LoopRequest> loops) {
  std::string lines;
  for (const jit::LoopRequest& request : loops) {
    const core::Digest digest = jit::fingerprint_of(request.nest);
    lines += fmt::format("code of loop '{}', kernel '{}', text={}\n", jit::loops_of(request),
                         jit::name_of(request.nest), core::to_hex(digest).substr(0, 16));
  }
  return lines;
}

/// Collective. Everybody throws if any two ranks miss different code.
void compare_loops(comm::Communicator& comm, const std::vector<Introduction>& ranks,
                   const std::string& lines) {
  const auto other = std::find_if(ranks.begin(), ranks.end(), [&](const Introduction& rank) {
    return rank.loops != ranks[0].loops;
  });
  if (other == ranks.end()) return;
  const int peer = static_cast<int>(other - ranks.begin());
  const std::string first = comm::text_of(comm.broadcast(comm::bytes_of(lines), 0));
  const std::string second = comm::text_of(comm.broadcast(comm::bytes_of(lines), peer));
  throw comm::collective_mismatch({0, 0, first}, {peer, 0, second});
}

/// The lowest rank of each target.
std::vector<int> leaders_of(const std::vector<Introduction>& ranks) {
  std::vector<core::Digest> targets{core::Digest{}};
  std::vector<int> leaders;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (std::find(targets.begin(), targets.end(), ranks[r].target) != targets.end()) continue;
    targets.push_back(ranks[r].target);
    leaders.push_back(static_cast<int>(r));
  }
  return leaders;
}

/// The error with this `what()`.
Error error_from(const std::string& what) {
  constexpr std::string_view prefix = "OP2-E";
  const std::string text = what.substr(prefix.size());
  return {static_cast<ErrorCode>(std::stoi(text)), text.substr(text.find(' ') + 1)};
}

/// Collective. Where any rank has an error, all get that of the lowest such rank.
void agree(comm::Communicator& comm, std::vector<jit::Built>& built) {
  comm::Bytes mine;
  for (const jit::Built& loop : built) mine.push_back(std::byte{loop.error.has_value()});
  const comm::Bytes all = comm.gather_all(mine);
  for (std::size_t i = 0; i < built.size(); ++i) {
    int rank = 0;
    const auto has_error = [&](int r) {
      return all[static_cast<std::size_t>(r) * built.size() + i] != std::byte{0};
    };
    while (rank < comm.size() && !has_error(rank)) ++rank;
    if (rank == comm.size()) continue;
    const bool own = rank == comm.rank();
    const comm::Bytes what =
        comm.broadcast(own ? comm::bytes_of(built[i].error->what()) : comm::Bytes(), rank);
    built[i] = {nullptr, error_from(comm::text_of(what))};
  }
}

/// Collective. Code of loops that no rank has in memory.
std::vector<jit::Built> make_together(jit::Jit& jit, comm::Communicator& comm,
                                      std::span<const jit::LoopRequest> missing) {
  const std::string lines = describe(missing);
  Introduction mine{.target = {}, .loops = core::Hasher().field(lines).finish()};
  std::vector<jit::Built> built(missing.size());
  try {
    mine.target = jit.target();
  } catch (const Error& error) {
    for (jit::Built& loop : built) loop.error = error;
  }
  const std::vector<Introduction> ranks = comm::gather_records(comm, mine);
  compare_loops(comm, ranks, lines);
  const std::vector<int> leaders = leaders_of(ranks);
  comm::Bytes parcels;
  if (std::find(leaders.begin(), leaders.end(), comm.rank()) != leaders.end()) {
    jit::Production production = jit.produce(missing);
    built = std::move(production.built);
    parcels = std::move(production.parcels);
  }
  for (const int leader : leaders) {
    const bool own = leader == comm.rank();
    const comm::Bytes code = comm.broadcast(own ? std::move(parcels) : comm::Bytes(), leader);
    const bool fits = ranks[static_cast<std::size_t>(leader)].target == mine.target;
    if (fits && !own) built = jit.adopt(missing, code);
  }
  agree(comm, built);
  return built;
}

}  // namespace

std::vector<jit::Outcome> code_for(jit::Jit& jit, comm::Communicator& comm,
                                   std::span<const jit::LoopRequest> requests) {
  if (comm.size() == 1) return jit.get(requests);
  return jit.get(requests, [&](std::span<const jit::LoopRequest> missing) {
    return make_together(jit, comm, missing);
  });
}

}  // namespace op2::sched
