// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/slice.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <sched/analysis/chain_analysis.hpp>
#include <sched/rows.hpp>

namespace op2::sched {
namespace {

/// A flag for each local row.
using RowFlags = std::vector<char>;

struct ExactRows {
  std::vector<RowFlags> need;  ///< per dat: rows that must be right before the chain
  std::vector<RowFlags> runs;  ///< per record: iterations, of W_extent; empty: none
};

/// One argument of a loop with the number of its dat.
struct DatArg {
  const core::LoopArg* arg;
  std::size_t dat;
  RowAccess rows;
};

std::vector<DatArg> dat_args(std::span<const core::LoopArg> args, const core::ChainLoop& loop) {
  std::vector<DatArg> list;
  for (const core::LoopArg& arg : args)
    if (arg.is_active_dat())
      list.push_back({&arg, static_cast<std::size_t>(loop.args[list.size()].dat), row_access(arg)});
  return list;
}

bool uses_old_value(const core::LoopArg& arg) {
  return arg.access == OP_READ || arg.access == OP_RW ||
         (arg.access == OP_INC && !arg.is_indirect());
}

std::size_t at(std::int64_t row) {
  return static_cast<std::size_t>(row);
}

/// The iterations of W_extent that make rows which are needed after the loop.
RowFlags iterations_for(const core::LoopRecord& record, const core::ChainLoop& loop,
                        core::Level extent, const std::vector<DatArg>& args,
                        const std::vector<RowFlags>& need) {
  RowFlags runs(at(record.set->within(extent)), 0);
  if (loop.reduction) std::fill_n(runs.begin(), record.set->size, 1);
  for (const DatArg& a : args)
    if (a.arg->modifies())
      for (std::size_t k = 0; k < runs.size(); ++k)
        runs[k] |= need[a.dat][at(a.rows.row_of(static_cast<std::int64_t>(k)))];
  return runs;
}

/// From what must be right after the loop to what must be before it.
void step_back(const RowFlags& runs, const std::vector<DatArg>& args, std::vector<RowFlags>& need) {
  for (const DatArg& a : args)
    if (a.arg->access == OP_WRITE && !a.arg->is_indirect())
      for (std::size_t k = 0; k < runs.size(); ++k) need[a.dat][k] &= runs[k] ^ 1;
  for (const DatArg& a : args)
    if (uses_old_value(*a.arg))
      for (std::size_t k = 0; k < runs.size(); ++k)
        if (runs[k] != 0) need[a.dat][at(a.rows.row_of(static_cast<std::int64_t>(k)))] = 1;
}

/// For a chain without loops in colours: so that the owned rows of all dats are right after the
/// chain. All that is found lies in the levels of the analysis: rows beyond them have no part in
/// it. Cost: a pass over the columns of maps that each loop uses.
/// @param chain     describes the loops of the range; dats are those of its numbers
/// @param analysis  has their extents
ExactRows exact_rows(const core::Queue& queue, RecordRange range, const ChainDescription& chain,
                     const Analysis& analysis) {
  ExactRows exact{{}, std::vector<RowFlags>(chain.loops.size())};
  for (const core::Dat* dat : chain.dats) {
    RowFlags& rows = exact.need.emplace_back(at(dat->on().rows()), 0);
    std::fill_n(rows.begin(), dat->on().size, 1);
  }
  for (std::size_t k = range.end; k-- > range.begin;) {
    const core::LoopRecord& record = queue.records()[k];
    const core::ChainLoop& loop = chain.loops[k - range.begin];
    const core::Level extent = analysis.loops[k].extent;
    if (extent == core::no_level) continue;
    const std::vector<DatArg> args = dat_args(queue.args_of(record), loop);
    RowFlags& runs = exact.runs[k - range.begin];
    runs = iterations_for(record, loop, extent, args, exact.need);
    step_back(runs, args, exact.need);
  }
  return exact;
}

/// Slices are used if the exact amount is at most this part of that of levels.
constexpr std::int64_t most = 9, of = 10;

std::size_t index_of(const core::Dat* dat) {
  return static_cast<std::size_t>(dat->index);
}

/// The rows of [begin, end) with a flag.
std::vector<std::int32_t> flagged(const RowFlags& flags, std::int32_t begin, std::int32_t end) {
  std::vector<std::int32_t> rows;
  for (std::int32_t row = begin; row < end; ++row)
    if (flags[row] != 0) rows.push_back(row);
  return rows;
}

IndexRanges ranges_of(const RowFlags& flags) {
  IndexRanges ranges;
  for (std::int64_t row = 0; row < std::ssize(flags); ++row)
    if (flags[row] != 0) append(ranges, {row, row + 1});
  return ranges;
}

/// One chain with what it needs exactly.
class ChainSlicer {
 public:
  /// @param levels  of the chain alone
  ChainSlicer(const core::Queue& queue, RecordRange range, const AnalysisOptions& options,
              Analysis levels)
      : queue_(queue),
        range_(range),
        result_(std::move(levels)),
        chain_(describe_chain(queue, range, options.keep_all)),
        exact_(exact_rows(queue, range, chain_, result_)) {
    for (std::size_t k = range.begin; k < range.end; ++k)
      if (!queue.records()[k].is_assignment()) records_.push_back(k);
  }

  /// Nothing: slices do not pay.
  /// @param valid  before the chain, of each dat of the mesh
  std::optional<Analysis> run(const std::vector<core::Level>& valid,
                              const std::vector<char>& rewritten, comm::DistributedMesh& rows) {
    std::vector<comm::WantedRows> wanted;
    for (comm::DatLayers& layers : exchanged()) {
      if (!rewritten.empty() && rewritten[index_of(layers.dat)] == 0) continue;
      sliced_.push_back(&layers);
      wanted.push_back({layers.dat->set->index, needed_rows(layers)});
    }
    if (!agree(rows.communicator(), wanted)) return std::nullopt;
    note_validity(valid);
    auto lists = agree_on_rows(rows.communicator(), rows.halo_plan(), wanted);
    for (std::size_t k = 0; k < sliced_.size(); ++k) sliced_[k]->lists = std::move(lists[k]);
    return std::move(result_);
  }

 private:
  std::vector<comm::DatLayers>& exchanged() { return result_.chains.front().exchanged; }

  const core::Set& set_of(std::size_t l) const { return *queue_.records()[records_[l]].set; }

  const LoopLevels& levels_of(std::size_t l) const { return result_.loops[records_[l]]; }

  const RowFlags& runs_of(std::size_t l) const { return exact_.runs[records_[l] - range_.begin]; }

  std::vector<std::int32_t> needed_rows(const comm::DatLayers& layers) const {
    const auto k = std::ranges::find(chain_.dats, layers.dat) - chain_.dats.begin();
    const core::Layout& layout = *layers.dat->on().layout;
    return flagged(exact_.need[k], layout.within(layers.from), layout.within(layers.to));
  }

  /// The last loop before `l` over the same set that is not dead; -1: none.
  std::ptrdiff_t earlier(std::size_t l) const {
    auto k = static_cast<std::ptrdiff_t>(l) - 1;
    while (k >= 0 && (&set_of(static_cast<std::size_t>(k)) != &set_of(l) ||
                      levels_of(static_cast<std::size_t>(k)).extent == core::no_level))
      --k;
    return k;
  }

  bool equals_earlier(std::size_t l) const {
    const std::ptrdiff_t k = earlier(l);
    return k >= 0 && runs_of(static_cast<std::size_t>(k)) == runs_of(l);
  }

  /// Whether the ranks use slices, and which: all in one reduction.
  /// @param wanted  rows of each of `sliced_`
  bool agree(comm::Communicator& ranks, const std::vector<comm::WantedRows>& wanted) {
    comm::WordReduction words{{0, 0, 0, 0}, {}, {}};
    for (std::size_t k = 0; k < sliced_.size(); ++k) {
      const comm::DatLayers* const layers = sliced_[k];
      const core::Layout& layout = *layers->dat->on().layout;
      const std::int64_t bytes = layers->dat->size;
      words.sums[0] += bytes * std::ssize(wanted[k].rows);
      words.sums[1] += bytes * (layout.within(layers->to) - layout.within(layers->from));
    }
    for (std::size_t l = 0; l < records_.size(); ++l) {
      const RowFlags& runs = runs_of(l);
      const std::int64_t owned = std::min<std::int64_t>(set_of(l).size, std::ssize(runs));
      words.sums[2] += std::count(runs.begin() + owned, runs.end(), 1);
      words.sums[3] += std::ssize(runs) - owned;
      words.maxima.push_back(std::ranges::find(runs, 0) == runs.end() ? 0 : 1);
      words.minima.push_back(equals_earlier(l) ? 1 : 0);
    }
    ranks.reduce(words, "rows that a chain needs exactly");
    const auto pays = [&](std::size_t k) { return words.sums[k] * of <= words.sums[k + 1] * most; };
    if (!(words.sums[1] > 0 && pays(0)) && !(words.sums[3] > 0 && pays(2))) return false;
    for (std::size_t l = 0; l < records_.size(); ++l)
      if (words.maxima[l] != 0) number_slice(l, words.minima[l] != 0);
    return true;
  }

  /// @param as_earlier  on every rank the loop runs the same rows as the earlier one over its set
  void number_slice(std::size_t l, bool as_earlier) {
    std::int32_t& slice = result_.loops[records_[l]].slice;
    if (as_earlier) slice = levels_of(static_cast<std::size_t>(earlier(l))).slice;
    if (slice >= 0) return;
    slice = static_cast<std::int32_t>(result_.slices.size());
    result_.slices.push_back(ranges_of(runs_of(l)));
  }

  /// Owned rows are valid after the chain; more only where no slice has a part in it.
  void note_validity(const std::vector<core::Level>& valid) {
    core::ChainLevels demand;
    std::vector<core::Level> before;
    for (const core::Dat* dat : chain_.dats) {
      const auto layers = std::ranges::find(exchanged(), dat, &comm::DatLayers::dat);
      const bool whole =
          layers != exchanged().end() && std::ranges::find(sliced_, &*layers) == sliced_.end();
      demand.need.push_back(whole ? layers->to : core::no_level);
      before.push_back(valid[index_of(dat)]);
    }
    for (std::size_t k = range_.begin; k < range_.end; ++k) {
      const LoopLevels& loop = result_.loops[k];
      demand.extent.push_back(loop.slice < 0 ? loop.extent : std::min(loop.extent, 0));
    }
    const std::vector<core::Level> after = validity_after(chain_.loops, demand, before);
    for (std::size_t k = 0; k < after.size(); ++k) {
      core::Level& level = result_.valid_after[index_of(chain_.dats[k])];
      level = std::min(level, std::max(after[k], 0));
    }
  }

  const core::Queue& queue_;
  const RecordRange range_;
  Analysis result_;
  const ChainDescription chain_;
  const ExactRows exact_;
  std::vector<std::size_t> records_;      ///< of the loops
  std::vector<comm::DatLayers*> sliced_;  ///< of `exchanged`: the layers of which rows are taken
};

bool has_colours(const core::Queue& queue, RecordRange range) {
  return std::ranges::any_of(records_in(queue, range),
                             [](const auto& r) { return r.colouring != nullptr; });
}

/// The chain with exactly the rows that it needs; nothing: it has no exchange, loops in colours, or
/// slices do not pay. What runs further than needed would look as if they did.
std::optional<Analysis> sliced(const core::Queue& queue, RecordRange range,
                               const std::vector<core::Level>& valid, AnalysisOptions options,
                               const std::vector<char>& rewritten, comm::DistributedMesh& rows) {
  options.widens = false;
  Analysis levels = analyse(queue, {range}, valid, options);
  if (levels.chains.front().exchanged.empty() || has_colours(queue, range)) return std::nullopt;
  return ChainSlicer(queue, range, options, std::move(levels)).run(valid, rewritten, rows);
}

/// Appends the analysis of the next chain.
void append(Analysis& all, Analysis chain) {
  const auto first = static_cast<std::int32_t>(all.slices.size());
  for (auto& slice : chain.slices) all.slices.push_back(std::move(slice));
  const auto [begin, end] = chain.chains.front().records;
  for (std::size_t k = begin; k < end; ++k) {
    all.loops[k] = chain.loops[k];
    if (all.loops[k].slice >= 0) all.loops[k].slice += first;
  }
  all.chains.push_back(std::move(chain.chains.front()));
  all.valid_after = std::move(chain.valid_after);
  all.rows = std::max(all.rows, chain.rows);
}

}  // namespace

Analysis slice(const core::Queue& queue, const std::vector<RecordRange>& cut,
               const std::vector<core::Level>& valid, const AnalysisOptions& options,
               const std::vector<char>& rewritten, comm::DistributedMesh& rows) {
  Analysis all;
  all.loops.resize(queue.size());
  all.valid_after = valid;
  for (const RecordRange& range : cut) {
    auto found = sliced(queue, range, all.valid_after, options, rewritten, rows);
    append(all, found ? std::move(*found) : analyse(queue, {range}, all.valid_after, options));
  }
  return all;
}

bool has_slices(const Analysis& analysis) {
  const auto takes_rows = [](const Chain& chain) {
    return std::ranges::any_of(chain.exchanged,
                               [](const auto& layers) { return layers.lists != nullptr; });
  };
  return !analysis.slices.empty() || std::ranges::any_of(analysis.chains, takes_rows);
}

}  // namespace op2::sched
