// SPDX-License-Identifier: BSD-3-Clause
#include <sched/plan.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace op2::sched {
namespace {

bool same_record(const core::LoopRecord& a, const core::LoopRecord& b) {
  return a.kernel == b.kernel && a.name == b.name && a.set == b.set && a.arg_count == b.arg_count &&
         a.target == b.target && a.traps == b.traps;
}

/// As one block of memory: they have no padding (core/queue.hpp).
bool are_equal(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

PlanKey sequence_key(const core::Queue& queue) {
  PlanKey key;
  key.records.assign(queue.records().begin(), queue.records().end());
  key.args.assign(queue.args().begin(), queue.args().end());
  return key;
}

PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid) {
  PlanKey key = sequence_key(queue);
  for (const core::LoopArg& arg : key.args)
    if (arg.is_active_dat()) key.dats.push_back(arg.dat);
  std::sort(key.dats.begin(), key.dats.end());
  key.dats.erase(std::unique(key.dats.begin(), key.dats.end()), key.dats.end());
  for (const core::Dat* dat : key.dats) key.valid.push_back(valid[dat->index]);
  return key;
}

bool is_sequence_of(const PlanKey& key, const core::Queue& queue) {
  return std::ranges::equal(key.records, queue.records(), same_record) &&
         are_equal(key.args, queue.args());
}

void note_deeper(PlanKey& key, const std::function<bool(const core::Dat&)>& exchanged) {
  key.may_be_deeper.assign(key.dats.size(), 0);
  for (std::size_t k = 0; k < key.dats.size(); ++k) {
    const auto changes = [&](const core::LoopArg& arg) {
      return arg.modifies_dat() && arg.dat == key.dats[k];
    };
    if (std::ranges::none_of(key.args, changes) && !exchanged(*key.dats[k]))
      key.may_be_deeper[k] = 1;
  }
}

bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid) {
  if (!is_sequence_of(key, queue)) return false;
  for (std::size_t k = 0; k < key.dats.size(); ++k) {
    const core::Level now = valid[key.dats[k]->index];
    const bool is_deeper = !key.may_be_deeper.empty() && key.may_be_deeper[k] != 0;
    if (is_deeper ? now < key.valid[k] : now != key.valid[k]) return false;
  }
  return true;
}

std::size_t hash_of(const core::Queue& queue) {
  std::size_t hash = queue.size();
  const auto mix = [&hash](const void* pointer) {
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(pointer)) * 0x9e3779b97f4a7c15ULL;
  };
  for (const core::LoopRecord& r : queue.records()) {
    mix(r.kernel);
    mix(r.name);
    mix(r.target);
    for (const core::LoopArg& arg : queue.args_of(r)) mix(arg.dat);
  }
  return hash;
}

namespace {

IndexRanges rows_of_slice(const IndexRanges& slice, const IndexRanges& ranges) {
  IndexRanges rows;
  for (const IndexRange& range : ranges) {
    auto part = std::ranges::partition_point(
        slice, [&](const IndexRange& earlier) { return earlier.end <= range.begin; });
    for (; part != slice.end() && part->begin < range.end; ++part)
      append(rows, {std::max(part->begin, range.begin), std::min(part->end, range.end)});
  }
  return rows;
}

std::int64_t count_in(const IndexRanges& slice, const IndexRange& range) {
  std::int64_t count = 0;
  for (const IndexRange& rows : rows_of_slice(slice, {range})) count += rows.size();
  return count;
}

IndexRanges rows_of_colour(const core::Colouring& colouring, std::int32_t colour,
                           const IndexRanges& ranges) {
  IndexRanges rows;
  for (const IndexRange& range : ranges)
    for (std::int64_t row = range.begin; row < range.end; ++row)
      if (colouring.rows[row] == colour) append(rows, {row, row + 1});
  return rows;
}

/// Searches the reductions only, which are few: this runs in every phase of every call.
bool has_payload(const Step& step) {
  return std::ranges::any_of(step.reductions,
                             [](const GlobalArg& global) { return global.shape.is_payload(); });
}

}  // namespace

Order Step::order_of(const StepCode& code) const {
  return code.compiled == nullptr && has_payload(*this) ? Order::by_global_index : order;
}

bool Step::tracks_elements(const StepCode& code) const {
  return set != nullptr && !set->is_single_rank && has_payload(*this) &&
         order_of(code) == Order::by_global_index;
}

bool Step::runs_as_declared(const StepCode& code) const {
  return order_of(code) == Order::by_global_index && !set->global_indices.empty() &&
         (set->is_single_rank || has_payload(*this));
}

std::vector<SetArgs> Step::accesses() const {
  std::vector<SetArgs> all;
  const std::vector<jit::ArgRange> ranges = jit::arg_ranges(gathered(), args.size());
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const auto& [begin, end] = ranges[k];
    const core::Set* of = k < gathered().size() ? kernels[k].set : set;
    all.push_back({of, std::span(args).subspan(begin, end - begin)});
  }
  return all;
}

const core::Set& Step::set_of(std::size_t arg) const {
  for (std::size_t loop = 0; loop < gathered().size(); ++loop)
    if (std::cmp_less(arg, gathered()[loop])) return *kernels[loop].set;
  return *set;
}

IndexRange Step::rows(Phase phase) const {
  const std::int64_t end = set->within(levels.extent);
  // The element that sets a global last is found in one phase.
  const std::int64_t interior =
      has_payload(*this) ? 0 : std::min<std::int64_t>(end, set->within(levels.interior));
  return phase == Phase::interior ? IndexRange{0, interior} : IndexRange{interior, end};
}

IndexRanges Step::rows_in(const IndexRanges& ranges) const {
  if (slice != nullptr) return rows_of_slice(*slice, ranges);
  return colouring == nullptr ? ranges : rows_of_colour(*colouring, colour, ranges);
}

std::int64_t Step::iterations(Phase phase) const {
  return slice == nullptr ? rows(phase).size() : count_in(*slice, rows(phase));
}

std::int64_t Step::redundant_iterations() const {
  const IndexRange beyond{set->size, set->within(levels.extent)};
  return slice == nullptr ? std::max<std::int64_t>(0, beyond.size()) : count_in(*slice, beyond);
}

bool Step::accesses_dat(const core::Dat* dat) const {
  return std::ranges::any_of(
      args, [&](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat == dat; });
}

double Step::useful_bytes() const {
  struct Use {
    bool reads = false, writes = false;
    double rows = 0;
  };
  std::map<const core::Dat*, Use> uses;
  std::set<const core::Map*> maps;
  for (const auto& [of, accessed] : accesses())
    for (const core::LoopArg& arg : accessed) {
      if (!arg.active) continue;
      if (arg.is_indirect()) maps.insert(arg.map);
      if (!arg.is_active_dat()) continue;
      Use& use = uses[arg.dat];
      use.reads = use.reads || arg.access != OP_WRITE;
      use.writes = use.writes || arg.modifies();
      use.rows += of->size;  // each argument accesses at most one row per element
    }
  if (gathers()) {
    for (const core::Dat* dat : gather->zero_initialised) uses[dat].reads = false;
    for (const core::Dat* dat : gather->not_stored) uses[dat].writes = false;
  }
  double bytes = 0;
  for (const auto& [dat, use] : uses)
    bytes +=
        std::min<double>(dat->set->size, use.rows) * dat->size * (int{use.reads} + int{use.writes});
  for (const core::Map* map : maps)
    bytes += static_cast<double>(map->from->size) * map->dim * sizeof(std::int32_t);
  return bytes;
}

}  // namespace op2::sched
