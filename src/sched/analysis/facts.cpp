// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/facts.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>
#include <jit/jit.hpp>
#include <sched/analysis/fuse.hpp>

namespace op2::sched {
namespace {

/// Rows of opaque dats are longer than what kernels see of them.
bool is_asked(const core::LoopArg& arg) {
  return arg.is_active_dat() && !arg.dat->opaque &&
         (arg.declared == OP_WRITE || arg.declared == OP_RW);
}

/// Loops with an argument whose access depends on what is proven.
std::vector<std::size_t> asked_records(const core::Queue& queue) {
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < queue.size(); ++k)
    if (std::ranges::any_of(queue.args_of(queue.records()[k]), is_asked)) asked.push_back(k);
  return asked;
}

/// Of this rank.
Facts proven(const core::Queue& queue, const std::vector<std::size_t>& records, LoopRequests& loops,
             const Prover& prove) {
  Facts facts{std::vector<jit::ArgumentFacts>(queue.args().size())};
  std::vector<jit::LoopRequest> requests;
  for (const std::size_t record : records)
    requests.push_back(loops.request_for(queue, step_of(queue, record)));
  const std::vector<jit::KernelFacts> found = prove(requests);
  core::ensure(found.size() == records.size(), "a prover has not answered for every loop");
  for (std::size_t n = 0; n < records.size(); ++n) {
    const core::LoopRecord& loop = queue.records()[records[n]];
    core::ensure(found[n].size() == loop.arg_count, "a prover has not answered for every argument");
    std::ranges::copy(found[n], facts.args.begin() + loop.first_arg);
  }
  return facts;
}

/// What is proven of an argument, a bit for each.
constexpr bool jit::ArgumentFacts::* proofs[]{
    &jit::ArgumentFacts::writes_all, &jit::ArgumentFacts::only_adds,
    &jit::ArgumentFacts::leaves_zero, &jit::ArgumentFacts::only_lowers,
    &jit::ArgumentFacts::only_raises};

/// Collective. All ranks get the facts of the first, or throw because it has none.
/// @param failure  of the first rank
/// @param first    loop whose facts are asked for
void share(Facts& facts, const std::optional<Error>& failure, comm::Communicator& ranks,
           const core::LoopRecord& first) {
  std::vector<char> bits;
  for (const jit::ArgumentFacts& arg : facts.args) {
    char& proven = bits.emplace_back(0);
    for (std::size_t k = 0; k < std::size(proofs); ++k)
      proven = static_cast<char>(proven | int{arg.*proofs[k]} << k);
  }
  const comm::Waiting waiting(ranks, [&first] {
    return comm::WaitPurpose{
        "what the kernel of " + named_with_site(first) + " does to its arguments", "it compiles"};
  });
  if (failure) bits.clear();
  bits = comm::from_bytes<char>(ranks.broadcast(comm::to_bytes<char>(bits), 0));
  if (bits.empty()) comm::throw_error_of(ranks, failure, 0);
  for (std::size_t arg = 0; arg < bits.size(); ++arg)
    for (std::size_t k = 0; k < std::size(proofs); ++k)
      facts.args[arg].*proofs[k] = (bits[arg] >> k & 1) != 0;
}

/// The access by which all arguments of a loop with a dat, all of them through maps, combine what
/// elements give; OP_RW if there is none.
op_access combining_access(const core::Dat* dat, std::span<const core::LoopArg> args,
                           std::span<const jit::ArgumentFacts> facts) {
  bool adds = true, lowers = true, raises = true;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const core::LoopArg& arg = args[k];
    if (!arg.is_active_dat() || arg.dat != dat) continue;
    if (!arg.is_indirect()) return OP_RW;
    const auto is = [&](op_access access, bool fact) {
      return arg.declared == access || (arg.declared == OP_RW && fact);
    };
    adds = adds && is(OP_INC, facts[k].only_adds);
    lowers = lowers && is(OP_MIN, facts[k].only_lowers);
    raises = raises && is(OP_MAX, facts[k].only_raises);
  }
  return adds ? OP_INC : lowers ? OP_MIN : raises ? OP_MAX : OP_RW;
}

op_access access_of(std::size_t k, std::span<const core::LoopArg> args,
                    std::span<const jit::ArgumentFacts> facts) {
  const core::LoopArg& arg = args[k];
  if (arg.kind != OP_ARG_DAT || !arg.active) return arg.declared;
  if (arg.declared == OP_WRITE) return is_asked(arg) && facts[k].writes_all ? OP_WRITE : OP_RW;
  if (core::is_extreme(arg.declared) && !arg.is_indirect()) return OP_RW;
  const bool may_combine = is_asked(arg) && arg.type != Type::b8;
  return may_combine ? combining_access(arg.dat, args, facts) : arg.declared;
}

/// The number of an argument in the call, where vector arguments count as one.
std::ptrdiff_t number_of(std::span<const core::LoopArg> args, std::size_t k) {
  return std::ranges::count_if(args.first(k),
                               [](const core::LoopArg& arg) { return arg.members > 0; });
}

/// The facts of the arguments of one loop.
std::span<const jit::ArgumentFacts> facts_of(const Facts& facts, const core::LoopRecord& loop) {
  return std::span(facts.args).subspan(loop.first_arg, loop.arg_count);
}

}  // namespace

Prover prover_of(const core::Options& options, jit::Jit& target, jit::Jit* host) {
  if (options.jit == core::JitMode::off || options.target == core::Target::reference)
    return nullptr;
  jit::Jit& jit = host != nullptr ? *host : target;
  return [&jit](std::span<const jit::LoopRequest> loops) { return jit.facts(loops); };
}

Facts find_facts(const core::Queue& queue, LoopRequests& loops, const Prover& prove,
                 comm::Communicator& ranks) {
  Facts facts{std::vector<jit::ArgumentFacts>(queue.args().size())};
  const std::vector<std::size_t> records = asked_records(queue);
  facts.asked = prove != nullptr;
  if (records.empty() || !facts.asked) return facts;
  std::optional<Error> failure;
  if (ranks.is_root())
    failure =
        core::error_of("reading kernels", [&] { facts = proven(queue, records, loops, prove); });
  share(facts, failure, ranks, queue.records()[records.front()]);
  return facts;
}

core::Queue as_used(const core::Queue& queue, const Facts& facts) {
  std::vector<core::LoopArg> used(queue.args().begin(), queue.args().end());
  for (const core::LoopRecord& loop : queue.records())
    for (std::size_t k = 0; k < loop.arg_count; ++k)
      used[loop.first_arg + k].access = access_of(k, queue.args_of(loop), facts_of(facts, loop));
  return queue.with_args(std::move(used));
}

void report_kept_rows(const core::Queue& queue, const Facts& facts, core::Log& log) {
  for (const core::LoopRecord& loop : queue.records()) {
    const auto args = queue.args_of(loop);
    for (std::size_t k = 0; k < args.size(); ++k) {
      const jit::ArgumentFacts& known = facts_of(facts, loop)[k];
      const bool keeps = is_asked(args[k]) && args[k].declared == OP_WRITE && !known.writes_all;
      if (!keeps || args[k].is_indirect() || args[k].optional || known.why.empty()) continue;
      const std::string place =
          fmt::format("{}: arg {}", named_with_site(loop), number_of(args, k));
      log.warning_once(place,
                       fmt::format("{} (OP_WRITE): kernel '{}' {}, so values from before count, as "
                                   "with OP_RW; set every component before it is read, or declare "
                                   "OP_RW",
                                   place, loop.kernel->name, known.why));
    }
  }
}

std::string why_not_increments(const core::Queue& queue, const Facts& facts, std::size_t record) {
  const core::LoopRecord& loop = queue.records()[record];
  const auto args = queue.args_of(loop);
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!args[k].is_active_dat() || !args[k].is_indirect() || args[k].declared != OP_RW) continue;
    const std::string& why = facts_of(facts, loop)[k].why;
    if (facts.asked && why.empty()) continue;
    return fmt::format("; arg {} (OP_RW): kernel '{}' {}", number_of(args, k), loop.kernel->name,
                       facts.asked ? why
                                   : "may only add, but nothing is proven with OP2_JIT=off or "
                                     "OP2_TARGET=reference");
  }
  return "";
}

namespace {

/// A program whose sequences never repeat must not accumulate them without bound.
constexpr std::size_t max_sequences = 1024;

}  // namespace

const Facts* KnownFacts::find(const core::Queue& declared, const core::Mesh& mesh) const {
  if (constants_ != mesh.constants().size()) return nullptr;
  const auto [first, last] = entries_.equal_range(hash_of(declared));
  for (auto entry = first; entry != last; ++entry)
    if (is_sequence_of(entry->second.sequence, declared)) return &entry->second.facts;
  return nullptr;
}

const Facts& KnownFacts::add(const core::Queue& declared, const core::Mesh& mesh, Facts facts) {
  if (entries_.size() == max_sequences || constants_ != mesh.constants().size()) entries_.clear();
  constants_ = mesh.constants().size();
  Entry entry{sequence_key(declared), std::move(facts)};
  return entries_.emplace(hash_of(declared), std::move(entry))->second.facts;
}

}  // namespace op2::sched
