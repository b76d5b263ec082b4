// SPDX-License-Identifier: BSD-3-Clause
#include <sched/verify.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include <core/error.hpp>

namespace op2::sched {
namespace {

template <class... Args>
void require(bool holds, std::string_view pass, fmt::format_string<Args...> what, Args&&... args) {
  if (!holds)
    core::fail(ErrorCode::internal, "internal fault of a plan: pass '{}', {}; please report it",
               pass, fmt::format(what, std::forward<Args>(args)...));
}

void require_cover(std::string_view pass, const core::Queue& queue,
                   const std::vector<RecordRange>& ranges) {
  std::size_t next = 0;
  for (const RecordRange& range : ranges) {
    require(range.begin == next, pass, "records: a chain begins at {} instead of {}", range.begin,
            next);
    require(range.begin < range.end, pass, "records: the chain at {} is empty", range.begin);
    next = range.end;
  }
  require(next == queue.size(), pass, "records: chains end at {} of {}", next, queue.size());
}

void verify_levels(const core::Queue& queue, const Analysis& analysis, const Chain& chain) {
  for (std::size_t k = chain.records.begin; k < chain.records.end; ++k) {
    const LoopLevels& loop = analysis.loops[k];
    if (queue.records()[k].is_assignment()) continue;
    require(loop.interior <= loop.extent, "analyse", "loops[{}]: interior {} beyond extent {}", k,
            loop.interior, loop.extent);
    require(loop.interior == core::no_level || !chain.exchanged.empty(), "analyse",
            "loops[{}]: interior {} without an exchange", k, loop.interior);
  }
}

void verify_step(const core::Queue& queue, const Analysis& analysis, const Step& step) {
  const std::size_t record = step.record;
  require(step.args.size() == step.sources.size(), "fuse", "record {}: {} arguments, {} sources",
          record, step.args.size(), step.sources.size());
  require(step.levels.interior <= step.levels.extent, "fuse",
          "record {}: interior {} beyond extent {}", record, step.levels.interior,
          step.levels.extent);
  for (const KernelUse& use : step.kernels) {
    const core::LoopRecord& loop = queue.records()[use.record];
    const bool is_gathered = use.record < step.kernels[step.gathered.size()].record;
    require(is_gathered || loop.set == step.set, "fuse",
            "record {}: fused with record {} of another set", record, use.record);
    require(loop.set == use.set, "fuse", "record {}: another set", use.record);
    const core::Level extent = is_gathered ? step.gathered_extent : step.levels.extent;
    require(analysis.loops[use.record].extent == extent, "fuse",
            "record {}: fused with record {} of other levels", record, use.record);
    require(use.args.size() == loop.arg_count, "fuse", "record {}: {} of {} arguments", use.record,
            use.args.size(), loop.arg_count);
    for (const jit::CallArg& arg : use.args)
      require(static_cast<std::size_t>(arg.position) < step.args.size(), "fuse",
              "record {}: argument at {} of {}", use.record, arg.position, step.args.size());
  }
}

bool accesses(const Step& step, const core::Dat* dat) {
  return step.runs() && std::ranges::any_of(step.args, [&](const core::LoopArg& arg) {
           return arg.is_active_dat() && arg.dat == dat;
         });
}

/// What a step does not store, the next one that accesses it does not load.
void verify_zeros(const Steps& steps) {
  for (std::size_t s = 0; s < steps.all.size(); ++s)
    for (const core::Dat* dat : steps.all[s].not_kept) {
      std::size_t next = s + 1;
      while (next < steps.all.size() && !accesses(steps.all[next], dat)) ++next;
      require(next < steps.all.size() && std::ranges::count(steps.all[next].from_zero, dat) == 1,
              "fuse", "step {}: dat '{}' is not stored, but step {} loads it", s, dat->name, next);
    }
}

/// Mixes numbers and addresses.
class Mixer {
 public:
  template <class T>
  Mixer& add(T value) {
    if constexpr (std::is_pointer_v<T>)
      return add(reinterpret_cast<std::uintptr_t>(value));
    else
      sum_ = (sum_ ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL + (sum_ >> 29);
    return *this;
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 1;
};

std::uint64_t sum_of(const Analysis& analysis) {
  Mixer mixer;
  for (const Chain& chain : analysis.chains) {
    mixer.add(chain.records.begin).add(chain.records.end).add(chain.layers);
    for (const comm::DatLayers& dat : chain.exchanged)
      mixer.add(dat.dat).add(dat.from).add(dat.to).add(dat.lists.get());
  }
  for (const LoopLevels& loop : analysis.loops)
    mixer.add(loop.interior).add(loop.extent).add(loop.slice);
  for (const IndexRanges& slice : analysis.slices)
    for (const IndexRange& range : slice) mixer.add(range.begin).add(range.end);
  for (const core::Level level : analysis.valid_after) mixer.add(level);
  return mixer.sum();
}

std::uint64_t sum_of(const Steps& steps) {
  Mixer mixer;
  for (const std::size_t begin : steps.begin) mixer.add(begin);
  for (const Step& step : steps.all) {
    mixer.add(static_cast<int>(step.kind)).add(step.record).add(step.set);
    mixer.add(step.colouring).add(step.colour);
    mixer.add(static_cast<int>(step.order)).add(step.levels.interior).add(step.levels.extent);
    mixer.add(step.gathered_extent);
    for (const core::LoopArg& arg : step.args)
      mixer.add(arg.dat).add(arg.map).add(arg.column).add(static_cast<int>(arg.access));
    for (const KernelUse& use : step.kernels) mixer.add(use.kernel).add(use.record);
    for (const std::int32_t end : step.gathered) mixer.add(end);
    for (const core::Dat* dat : step.from_zero) mixer.add(dat);
    for (const core::Dat* dat : step.not_kept) mixer.add(dat);
    mixer.add(step.block_bytes).add(step.reads.size()).add(step.reductions.size());
  }
  return mixer.sum();
}

std::uint64_t sum_of(const PlanKey& key) {
  Mixer mixer;
  for (const core::LoopRecord& record : key.records) mixer.add(record.kernel).add(record.target);
  for (const core::Level level : key.valid) mixer.add(level);
  return mixer.sum();
}

}  // namespace

void verify_facts(const core::Queue& queue, const Facts& facts) {
  require(facts.args.size() == queue.args().size(), "facts", "args: {} of {}", facts.args.size(),
          queue.args().size());
}

void verify_colourings(const core::Queue& queue,
                       const std::vector<const core::Colouring*>& colourings) {
  if (colourings.empty()) return;
  require(colourings.size() == queue.size(), "colours", "{} of {} records", colourings.size(),
          queue.size());
  for (std::size_t k = 0; k < queue.size(); ++k)
    require(colourings[k] == nullptr || colourings[k]->set == queue.records()[k].set, "colours",
            "record {} has the colours of another set", k);
}

void verify_cut(const core::Queue& queue, const std::vector<RecordRange>& cut) {
  require_cover("cut", queue, cut);
}

void verify_analysis(const core::Queue& queue, const Analysis& analysis) {
  std::vector<RecordRange> ranges;
  for (const Chain& chain : analysis.chains) ranges.push_back(chain.records);
  require_cover("analyse", queue, ranges);
  require(analysis.loops.size() == queue.size(), "analyse", "loops: {} of {}",
          analysis.loops.size(), queue.size());
  for (const Chain& chain : analysis.chains) {
    verify_levels(queue, analysis, chain);
    for (const comm::DatLayers& dat : chain.exchanged)
      require(0 <= dat.from && dat.from < dat.to, "analyse",
              "exchanged: levels {} to {} of dat '{}'", dat.from, dat.to, dat.dat->name);
  }
}

void verify_order(const core::Queue& queue, const std::vector<Order>& order) {
  require(order.size() == queue.size(), "order", "{} of {} records", order.size(), queue.size());
}

void verify_steps(const core::Queue& queue, const Analysis& analysis, const Steps& steps) {
  require(steps.begin.size() == analysis.chains.size() + 1, "fuse", "begin: {} for {} chains",
          steps.begin.size(), analysis.chains.size());
  std::vector<char> seen(queue.size(), 0);
  for (std::size_t chain = 0; chain < analysis.chains.size(); ++chain)
    for (std::size_t s = steps.begin[chain]; s < steps.begin[chain + 1]; ++s) {
      const Step& step = steps.all[s];
      if (!step.runs()) ++seen[step.record];
      for (const KernelUse& use : step.kernels) {
        const auto [begin, end] = analysis.chains[chain].records;
        require(begin <= use.record && use.record < end, "fuse",
                "record {} is in a step of records {} to {}", use.record, begin, end);
        ++seen[use.record];
      }
      verify_step(queue, analysis, step);
    }
  verify_zeros(steps);
  for (std::size_t k = 0; k < seen.size(); ++k)
    require(seen[k] == 1, "fuse", "record {} is in {} steps", k, int{seen[k]});
}

void verify_code(const Steps& steps, const std::vector<StepCode>& code) {
  require(code.size() == steps.all.size(), "code", "{} of {} steps", code.size(), steps.all.size());
  for (std::size_t s = 0; s < code.size(); ++s)
    for (const KernelUse& use : steps.all[s].kernels)
      require(code[s].compiled != nullptr || use.kernel->host != nullptr, "code",
              "step {}: kernel '{}' has neither code nor a host function", s, use.kernel->name);
}

PlanSeal seal_of(const Plan& plan) {
  Mixer code, rows;
  for (const StepCode& step : plan.code) code.add(step.compiled).add(step.variables.size());
  for (const StepRows& step : plan.rows) rows.add(step.row).add(step.members.size());
  return {sum_of(plan.key), sum_of(plan.analysis), sum_of(plan.steps), code.sum(), rows.sum()};
}

void verify_unchanged(const Plan& plan, const PlanSeal& seal) {
  const PlanSeal now = seal_of(plan);
  struct Field {
    std::string_view name, pass;
    bool same;
  };
  for (const Field& field :
       std::array<Field, 5>{{{"key", "key", now.key == seal.key},
                             {"analysis", "analyse", now.analysis == seal.analysis},
                             {"steps", "fuse", now.steps == seal.steps},
                             {"code", "code", now.code == seal.code},
                             {"rows", "books", now.rows == seal.rows}}})
    require(field.same, field.pass, "'{}' has changed after verification", field.name);
}

}  // namespace op2::sched
