// SPDX-License-Identifier: BSD-3-Clause
#include <sched/shared_code.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <comm/messages/collective_mismatch.hpp>
#include <comm/messages/records.hpp>
#include <core/hash.hpp>
#include <core/text.hpp>

namespace op2::sched {
namespace {

/// One line per loop, for comparing ranks. Included files count too: they are read from disk, so
/// they may differ between ranks even if the programs are the same.
std::string describe(std::span<const jit::LoopRequest> loops) {
  std::string lines;
  for (const jit::LoopRequest& request : loops) {
    const core::Digest digest = jit::fingerprint_of(request.nest);
    lines += fmt::format("code of loop '{}', kernel '{}', source={}", jit::loops_of(request),
                         jit::name_of(request.nest), core::to_hex(digest).substr(0, 16));
    for (const jit::KernelCall& call : request.nest.calls)
      for (const jit::IncludedFile& file : call.includes)
        lines += fmt::format(", {}={}", file.name,
                             core::to_hex(core::Hasher().field(file.text).finish()).substr(0, 16));
    lines += '\n';
  }
  return lines;
}

/// Of a rank that cannot run code.
constexpr core::Digest no_target{};

/// The bytes of a digest as words of a reduction.
std::vector<std::int64_t> words_of(const core::Digest& digest) {
  return comm::from_bytes<std::int64_t>(std::as_bytes(std::span(&digest, 1)));
}

/// Two ranks need code of different loops: names them, and theirs. Collective.
[[noreturn]] void refuse_loops(comm::Communicator& comm, const core::Digest& mine,
                               const std::string& lines) {
  const auto digests = comm::gather_records(comm, mine);
  const auto other = std::ranges::find_if(digests, [&](const auto& d) { return d != digests[0]; });
  const int peer = static_cast<int>(other - digests.begin());
  const std::string first = comm::text_of(comm.broadcast(comm::bytes_of(lines), 0));
  const std::string second = comm::text_of(comm.broadcast(comm::bytes_of(lines), peer));
  throw comm::collective_mismatch({0, 0, first}, {peer, 0, second});
}

/// All ranks throw if any two of them need code of different loops. Collective. Cost: a reduction.
/// @param lines   of the loops
/// @param target  of this rank
/// @return whether all ranks have the same target
bool compare(comm::Communicator& comm, const std::string& lines, const core::Digest& target) {
  const core::Digest mine = core::Hasher().field(lines).finish();
  const std::vector<std::int64_t> loops = words_of(mine), targets = words_of(target);
  comm::WordReduction words;
  words.minima = loops;
  words.minima.insert(words.minima.end(), targets.begin(), targets.end());
  words.maxima = words.minima;
  comm.reduce(words, "comparing loops without code");
  const auto differs = std::ranges::mismatch(words.minima, words.maxima).in1 - words.minima.begin();
  if (differs < std::ssize(loops)) refuse_loops(comm, mine, lines);
  return differs == std::ssize(words.minima);
}

/// A target, and the lowest rank that has it.
struct Leader {
  int rank;
  core::Digest target;
};

/// The leader of each target, in the order of the ranks. Collective. Cost: a reduction and a
/// broadcast of a few bytes per target.
/// @param mine  no_target: this rank cannot run code
std::vector<Leader> leaders_of(comm::Communicator& comm, const core::Digest& mine) {
  std::vector<Leader> leaders;
  for (bool is_led = mine == no_target;;) {
    comm::WordReduction first{{}, {is_led ? comm.size() : comm.rank()}, {}};
    comm.reduce(first, "finding who compiles");
    const int rank = static_cast<int>(first.minima.front());
    if (rank == comm.size()) return leaders;
    leaders.push_back({rank, comm::broadcast_record(comm, mine, rank)});
    is_led = is_led || leaders.back().target == mine;
  }
}

/// Collective. Who makes code of these loops; nobody if no rank can run code.
std::vector<Leader> leaders_for(comm::Communicator& comm, const std::string& lines,
                                const core::Digest& target) {
  if (!compare(comm, lines, target)) return leaders_of(comm, target);
  if (target == no_target) return {};
  return {{0, target}};
}

/// Collective. If any rank has an error, all get that of the lowest such rank.
void agree(comm::Communicator& comm, std::vector<jit::LoopCode>& codes) {
  comm::WordReduction words;
  for (const jit::LoopCode& code : codes)
    words.minima.push_back(code.error ? comm.rank() : comm.size());
  comm.reduce(words, "comparing errors of code");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int rank = static_cast<int>(words.minima[i]);
    if (rank == comm.size()) continue;
    const comm::ErrorOfRank error = comm::broadcast_error(comm, codes[i].error, rank);
    codes[i] = {nullptr, Error(error.code, error.text)};
  }
}

/// "loop 'flow' (flow.cpp:12) and 3 other loops".
std::string calls_of(std::span<const jit::LoopRequest> requests) {
  const jit::LoopOrigin& first = requests.front().origins.front();
  const std::string text = fmt::format("loop '{}' ({})", first.loop, first.call_site);
  return requests.size() == 1 ? text : text + " and " + core::counted(requests.size() - 1, "other");
}

/// Collective. Code of loops that no rank has in memory.
std::vector<jit::LoopCode> make_on_leaders(jit::Jit& jit, comm::Communicator& comm,
                                           std::span<const jit::LoopRequest> missing) {
  core::Digest target = no_target;
  std::vector<jit::LoopCode> codes(missing.size());
  try {
    target = jit.target();
  } catch (const Error& error) {
    for (jit::LoopCode& code : codes) code.error = error;
  }
  const std::vector<Leader> leaders = leaders_for(comm, describe(missing), target);
  if (std::ranges::find(leaders, comm.rank(), &Leader::rank) != leaders.end())
    codes = jit.make(missing);
  for (const Leader& leader : leaders) {
    const bool own = leader.rank == comm.rank();
    const comm::Waiting waiting(
        comm, [&] { return comm::WaitPurpose{"the code of " + calls_of(missing), "it compiles"}; });
    const comm::Bytes bytes =
        comm.broadcast(own ? jit::serialize(codes) : comm::Bytes(), leader.rank);
    if (leader.target == target && !own) codes = jit.adopt(missing, bytes);
  }
  agree(comm, codes);
  return codes;
}

}  // namespace

std::vector<jit::LoopCode> compile_together(jit::Jit& jit, comm::Communicator& comm,
                                            std::span<const jit::LoopRequest> requests) {
  if (comm.size() == 1) return jit.compile(requests);
  const std::vector<jit::LoopRequest> missing = jit.missing(requests);
  if (!missing.empty()) jit.keep(missing, make_on_leaders(jit, comm, missing));
  return jit.in_memory(requests);
}

}  // namespace op2::sched
