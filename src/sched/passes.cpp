// SPDX-License-Identifier: BSD-3-Clause
#include <sched/passes.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/error.hpp>
#include <core/hash.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>
#include <sched/code.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

std::string text_of(core::Level level) {
  return level == core::no_level ? "-" : fmt::format("{}", level);
}

const char* text_of(Order order) {
  if (order == Order::by_rows) return "in an order of its rows and threads";
  return order == Order::any ? "in any order" : "in the order of its elements";
}

std::string describe_record(const core::LoopRecord& record, const LoopLevels& levels) {
  if (record.is_assignment()) return fmt::format("  set  {}\n", record.target->name);
  return fmt::format("  loop {:<20} on {:<12} extent {:>3}  interior {:>3}{}{}{}\n", record.name,
                     record.set->name, text_of(levels.extent), text_of(levels.interior),
                     record.set->layout->local_map ? "  local map" : "",
                     levels.slice >= 0 ? "  sliced" : "",
                     levels.extent == core::no_level ? "  dead" : "");
}

std::vector<std::string> names_of(const core::Queue& queue, const Step& step) {
  std::vector<std::string> names;
  for (const KernelUse& use : step.kernels) names.emplace_back(queue.records()[use.record].name);
  return names;
}

std::string describe_arg(const core::LoopArg& arg) {
  if (!arg.active) return "off";
  switch (arg.kind) {
    case OP_ARG_IDX:
      return fmt::format("index {} of {}", arg.column, arg.map != nullptr ? arg.map->name : "set");
    case OP_ARG_GBL:
    case OP_ARG_INFO:
      return fmt::format("global {} {} x{}", arg.global != nullptr ? arg.global->name : "raw",
                         core::name_of(arg.access), arg.dim);
    case OP_ARG_DAT:
      break;
  }
  const std::string through =
      arg.map == nullptr ? "" : fmt::format(" via {}[{}]", arg.map->name, arg.column);
  return fmt::format("{}{} {} x{}", arg.dat->name_storage, through, core::name_of(arg.access),
                     arg.dim);
}

}  // namespace

std::uint64_t fingerprint_of(const std::string& text) {
  const core::Digest digest = core::Hasher().field(text).finish();
  std::uint64_t fingerprint;
  std::memcpy(&fingerprint, digest.data(), sizeof fingerprint);
  return fingerprint;
}

std::string describe_queue(const core::Queue& queue) {
  std::map<op_kernel, std::uint64_t> texts;
  std::string text;
  for (const core::LoopRecord& r : queue.records()) {
    if (r.is_assignment()) {
      text += fmt::format("op_set_global '{}'\n", r.target->name);
      continue;
    }
    const auto [hash, fresh] = texts.try_emplace(r.kernel, 0);
    if (fresh) hash->second = fingerprint_of(r.kernel->source);
    text += fmt::format("{} on set '{}' of {} elements:", named_with_site(r), r.set->name,
                        r.set->global_size);
    for (const core::LoopArg& arg : queue.args_of(r))
      text += fmt::format(" [{}]", describe_arg(arg));
    text += fmt::format(" source={:016x}{}\n", hash->second,
                        r.traps ? ", floating-point traps on" : "");
  }
  return text;
}

std::string describe(const core::Queue& queue, const std::vector<RecordRange>& cut) {
  std::string text = fmt::format("{} records in {} chains\n", queue.size(), cut.size());
  for (const RecordRange& chain : cut)
    text += fmt::format("  records {} to {}\n", chain.begin, chain.end - 1);
  return text;
}

std::string describe(const core::Queue& queue, const Analysis& analysis) {
  std::string text;
  for (const Chain& chain : analysis.chains) {
    const auto [begin, end] = chain.records;
    text += fmt::format("chain of {} records, rows up to level {}\n", end - begin,
                        text_of(analysis.rows));
    for (const comm::DatLayers& dat : chain.exchanged)
      text += fmt::format("  dat  {:<20} {}levels {} to {} are exchanged\n", dat.dat->name,
                          dat.lists == nullptr ? "" : "some rows of ", dat.from + 1, dat.to);
    for (std::size_t k = begin; k < end; ++k)
      text += describe_record(queue.records()[k], analysis.loops[k]);
  }
  return text;
}

std::string describe(const core::Queue& queue, const std::vector<Order>& order) {
  std::string text;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (!queue.records()[k].is_assignment())
      text += fmt::format("  loop {:<20} {}{}\n", queue.records()[k].name, text_of(order[k]),
                          queue.records()[k].colouring == nullptr
                              ? ""
                              : fmt::format(", colour {} of {}", queue.records()[k].colour + 1,
                                            queue.records()[k].colouring->count));
  return text;
}

std::string describe(const core::Queue& queue, const Steps& steps) {
  std::string text = fmt::format("{} records in {} steps\n", queue.size(), steps.all.size());
  for (const Step& step : steps.all)
    if (step.fused())
      text += fmt::format("  fused {}: {} arguments\n", fmt::join(names_of(queue, step), "+"),
                          step.args.size());
  return text;
}

std::string describe_calls(const core::Queue& queue, std::span<const Step> steps) {
  const auto is_loop = [](const Step& step) { return step.kind != Step::Kind::assignment; };
  const auto first = std::ranges::find_if(steps, is_loop);
  if (first == steps.end()) return "no loop";
  // Of a call in colours all steps but the first continue it.
  const auto others = std::count_if(first + 1, steps.end(), [&](const Step& step) {
    return is_loop(step) && step.begins_call();
  });
  return named_with_site(queue.records()[first->record]) +
         (others > 0 ? " and " + core::counted(others, "other") : "");
}

std::string describe_step(const core::Queue& queue, const Plan& plan, std::size_t s) {
  const Step& step = plan.steps.all[s];
  const core::LoopRecord& record = queue.records()[step.record];
  if (step.kind == Step::Kind::assignment) return fmt::format("  set  {}", record.target->name);
  if (step.kind == Step::Kind::dead)
    return fmt::format("  skip {}: overwritten before use", record.name);
  const core::LoopRow& row = *plan.rows[s].row;
  return fmt::format("  run  {:<20} {}, {} + {} elements", row.name, row.code,
                     step.iterations(Phase::interior), step.iterations(Phase::boundary));
}

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
    const bool is_gathered = use.record < step.kernels[step.gathered().size()].record;
    require(is_gathered || loop.set == step.set, "fuse",
            "record {}: fused with record {} of another set", record, use.record);
    require(loop.set == use.set, "fuse", "record {}: another set", use.record);
    const core::Level extent = is_gathered ? step.gather->extent : step.levels.extent;
    require(analysis.loops[use.record].extent == extent, "fuse",
            "record {}: fused with record {} of other levels", record, use.record);
    require(use.args.size() == loop.arg_count, "fuse", "record {}: {} of {} arguments", use.record,
            use.args.size(), loop.arg_count);
    for (const jit::CallArg& arg : use.args)
      require(static_cast<std::size_t>(arg.position) < step.args.size(), "fuse",
              "record {}: argument at {} of {}", use.record, arg.position, step.args.size());
  }
}

/// What a step does not store, the next one that accesses it does not load.
void verify_zeros(const Steps& steps) {
  const auto starts_at_zero = [](const Step& step, const core::Dat* dat) {
    return step.gathers() && std::ranges::count(step.gather->zero_initialised, dat) == 1;
  };
  for (std::size_t s = 0; s < steps.all.size(); ++s) {
    if (!steps.all[s].gathers()) continue;
    for (const core::Dat* dat : steps.all[s].gather->not_stored) {
      std::size_t next = s + 1;
      while (next < steps.all.size() &&
             !(steps.all[next].runs() && steps.all[next].accesses_dat(dat)))
        ++next;
      require(next < steps.all.size() && starts_at_zero(steps.all[next], dat), "fuse",
              "step {}: dat '{}' is not stored, but step {} loads it", s, dat->name, next);
    }
  }
}

}  // namespace

void verify(const core::Queue& queue, const std::vector<const core::Colouring*>& colourings) {
  if (colourings.empty()) return;
  require(colourings.size() == queue.size(), "colours", "{} of {} records", colourings.size(),
          queue.size());
  for (std::size_t k = 0; k < queue.size(); ++k)
    require(colourings[k] == nullptr || colourings[k]->set == queue.records()[k].set, "colours",
            "record {} has the colours of another set", k);
}

void verify(const core::Queue& queue, const std::vector<RecordRange>& cut) {
  require_cover("cut", queue, cut);
}

void verify(const core::Queue& queue, const Analysis& analysis) {
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

void verify(const core::Queue& queue, const Steps& steps, const Analysis& analysis) {
  require(steps.begin.size() == analysis.chains.size() + 1, "fuse", "begin: {} for {} chains",
          steps.begin.size(), analysis.chains.size());
  std::vector<char> seen(queue.size(), 0);
  for (std::size_t chain = 0; chain < analysis.chains.size(); ++chain)
    for (const std::size_t s : steps.of(chain)) {
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

void verify(const core::Queue&, const Code& made, const Steps& steps) {
  if (made.regroup) return;
  const std::vector<StepCode>& code = made.steps;
  require(code.size() == steps.all.size(), "code", "{} of {} steps", code.size(), steps.all.size());
  for (std::size_t s = 0; s < code.size(); ++s)
    for (const KernelUse& use : steps.all[s].kernels)
      require(code[s].compiled != nullptr || (!steps.all[s].fused() && use.kernel->host != nullptr),
              "code", "step {}: kernel '{}' has neither code nor a host function", s,
              use.kernel->name);
}

}  // namespace op2::sched
