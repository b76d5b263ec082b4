// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/order.hpp>

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <core/error.hpp>
#include <core/queue.hpp>
#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>
#include <jit/payload_form.hpp>

namespace op2::sched {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// Dats that a loop modifies and accesses through maps.
std::set<const core::Dat*> shared_dats(std::span<const core::LoopArg> args) {
  std::set<const core::Dat*> modified, behind_maps, both;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies()) modified.insert(arg.dat);
    if (arg.is_indirect()) behind_maps.insert(arg.dat);
  }
  std::ranges::set_intersection(modified, behind_maps, std::inserter(both, both.end()));
  return both;
}

/// Whether what two arguments give to rows of one dat may come in any order.
bool combine(const core::LoopArg& a, const core::LoopArg& b) {
  return a.is_indirect() && b.is_indirect() && a.access == b.access && core::is_combined(a.access);
}

/// All accesses of a loop to `dat`.
SharedDat shared_dat(const core::Dat* dat, std::span<const core::LoopArg> args) {
  SharedDat shared{{}, true};
  const core::LoopArg* first = nullptr;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat() || arg.dat != dat) continue;
    if (first == nullptr) first = &arg;
    shared.accesses.push_back(row_access(arg));
    shared.any_order = shared.any_order && combine(*first, arg);
  }
  sort_unique(shared.accesses);
  return shared;
}

/// Whether iterations read rows of `dat` that others modify.
bool is_read_out_of_order(const core::Dat* dat, std::span<const core::LoopArg> args) {
  return !shared_dat(dat, args).any_order &&
         std::ranges::any_of(args, [&](const core::LoopArg& arg) {
           return arg.is_active_dat() && arg.dat == dat && arg.declared != OP_WRITE;
         });
}

/// Whether iterations of one colour may not meet in rows of `dat`.
bool is_in_colours(const core::Dat* dat, std::span<const core::LoopArg> args, bool writes) {
  return writes ? !shared_dat(dat, args).any_order : is_read_out_of_order(dat, args);
}

/// The arguments of a loop with `dat`, where vector arguments count as one.
std::string uses_of(const core::Dat* dat, std::span<const core::LoopArg> args) {
  std::string text;
  int number = -1;
  for (const core::LoopArg& arg : args) {
    if (arg.members == 0) continue;  // a further column
    ++number;
    if (arg.is_active_dat() && arg.dat == dat)
      text +=
          fmt::format("{}arg {} {}", text.empty() ? "" : ", ", number, core::name_of(arg.declared));
  }
  return text;
}

}  // namespace

ConflictPattern conflict_pattern(std::span<const core::LoopArg> args,
                                 const core::Colouring* colouring) {
  ConflictPattern pattern;
  for (const core::Dat* dat : shared_dats(args))
    if (colouring == nullptr || !is_in_colours(dat, args, colouring->writes))
      pattern.push_back(shared_dat(dat, args));
  sort_unique(pattern);
  return pattern;
}

std::vector<const core::Dat*> dats_in_colours(std::span<const core::LoopArg> args, bool writes) {
  const std::set<const core::Dat*> shared = shared_dats(args);
  std::vector<const core::Dat*> dats;
  for (const core::LoopArg& arg : args)
    if (shared.contains(arg.dat) && std::ranges::find(dats, arg.dat) == dats.end() &&
        is_in_colours(arg.dat, args, writes))
      dats.push_back(arg.dat);
  return dats;
}

bool reads_shared_rows(std::span<const core::LoopArg> args) {
  return !dats_in_colours(args, false).empty();
}

std::string name_in_colours(std::span<const core::LoopArg> args, bool writes) {
  const std::vector<const core::Dat*> dats = dats_in_colours(args, writes);
  if (dats.empty()) return "";
  return fmt::format("dat '{}' ({})", dats.front()->name_storage, uses_of(dats.front(), args));
}

bool has_payload(std::span<const core::LoopArg> args) {
  return std::ranges::any_of(args, &core::LoopArg::is_payload);
}

bool has_repeated_targets(std::int64_t iterations, std::span<const RowAccess> accesses) {
  constexpr std::int64_t none_yet = -1;
  std::vector<std::int64_t> visitor;  // of each row: the last iteration that accessed it
  for (const RowAccess& access : accesses)
    if (access.rows > std::ssize(visitor)) visitor.resize(access.rows, none_yet);
  for (std::int64_t element = 0; element < iterations; ++element)
    for (const RowAccess& access : accesses) {
      std::int64_t& last = visitor[access.row_of(element)];
      if (last != none_yet && last != element) return true;
      last = element;
    }
  return false;
}

bool may_meet_out_of_order(const ConflictPattern& pattern) {
  return !std::ranges::all_of(pattern, &SharedDat::any_order);
}

bool meets_out_of_order(const ConflictPattern& pattern, std::int64_t end) {
  return std::ranges::any_of(pattern, [&](const SharedDat& dat) {
    return !dat.any_order && has_repeated_targets(end, dat.accesses);
  });
}

namespace {

/// The parameters of a loop's kernel; nothing if a payload must be set in order whatever the source
/// says.
std::vector<jit::ArgShape> payload_parameters(std::span<const core::LoopArg> args) {
  std::vector<jit::ArgShape> parameters;
  std::vector<int> number;  // of the parameter of each argument
  for (const core::LoopArg& arg : args) {
    if (arg.is_payload() && arg.info_of < 0) return {};
    if (arg.members > 0)
      parameters.push_back({.access = arg.access, .type = arg.type, .dim = arg.dim});
    number.push_back(static_cast<int>(parameters.size()) - 1);
  }
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k].is_payload()) parameters[number[k]].extreme = number[args[k].info_of];
  return parameters;
}

/// Whether only elements in order give payloads the right values.
bool sets_payloads_in_order(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  if (!has_payload(args)) return false;
  const std::vector<jit::ArgShape> parameters = payload_parameters(args);
  return parameters.empty() ||
         !jit::sets_payloads_in_any_order(jit::call_of(*loop.kernel, {}), parameters);
}

/// As the arguments say, which are the same on all ranks.
bool may_depend_on_order(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  return has_payload(args) || may_meet_out_of_order(conflict_pattern(args, loop.colouring));
}

/// As seen in this rank's rows up to `extent`.
bool depends_on_order(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                      core::Level extent) {
  return sets_payloads_in_order(loop, args) ||
         meets_out_of_order(conflict_pattern(args, loop.colouring), loop.set->within(extent));
}

/// Whether two of the iterations up to `extent` meet in rows that iterations read, as far as this
/// rank sees them.
bool meets_in_rows_read(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                        core::Level extent) {
  const std::vector<const core::Dat*> read = dats_in_colours(args, false);
  std::vector<core::LoopArg> with_these;
  std::ranges::copy_if(args, std::back_inserter(with_these), [&](const core::LoopArg& arg) {
    return arg.is_active_dat() && std::ranges::find(read, arg.dat) != read.end();
  });
  return meets_out_of_order(conflict_pattern(with_these), loop.set->within(extent));
}

/// Whether a loop whose result depends on its order has one that the library chooses: where its
/// elements are renumbered, and the declared order would go back and forth in memory.
bool may_run_by_rows(const core::LoopRecord& loop, std::span<const core::LoopArg> args) {
  return loop.set->is_single_rank && !loop.set->global_indices.empty() && reads_shared_rows(args) &&
         !has_payload(args);
}

bool has_info(std::span<const core::LoopArg> args) {
  return std::ranges::any_of(
      args, [](const core::LoopArg& arg) { return arg.is_payload() && arg.info_of >= 0; });
}

/// Such a kernel decides which of equal elements counts, and no rank sees all of them.
[[noreturn]] void refuse_payloads(const core::LoopRecord& loop, int ranks) {
  core::fail(ErrorCode::order_dependent,
             "the result depends on the order of the elements: loop '{}' ({}): kernel '{}' sets an "
             "op_arg_info in an unusual form, so it decides which of equal elements counts, and "
             "{} ranks have no common order, which OP2_REPRODUCIBLE=on needs; write it as `if (x < "
             "*extreme) {{ *extreme = x; ... }}`, of which the element with the lowest number "
             "counts, in a loop that sets no other global (OP_WRITE)",
             loop.name, site_of(loop), loop.kernel->name, ranks);
}

}  // namespace

void mark_payloads(std::span<core::LoopArg> args, Order order) {
  for (core::LoopArg& arg : args)
    arg.any_order = arg.is_payload() && arg.info_of >= 0 && order == Order::any;
}

std::vector<Order> find_order(const core::Queue& queue, const Analysis& analysis,
                              comm::Communicator& communicator, const OrderRules& rules) {
  std::vector<std::size_t> compared;  // loops that may depend on their order
  std::vector<char> flags;            // whether they do
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const core::LoopRecord& record = queue.records()[k];
    const core::Level extent = analysis.loops[k].extent;
    if (record.is_assignment() || extent == core::no_level ||
        !may_depend_on_order(record, queue.args_of(record)))
      continue;
    compared.push_back(k);
    flags.push_back(depends_on_order(record, queue.args_of(record), extent) ? 1 : 0);
  }
  comm::combine_flags(flags, communicator, "comparing which loops depend on their order");
  std::vector<Order> order(queue.size(), Order::any);
  for (std::size_t n = 0; n < compared.size(); ++n) {
    if (flags[n] == 0) continue;
    const core::LoopRecord& record = queue.records()[compared[n]];
    const core::Level extent = analysis.loops[compared[n]].extent;
    core::ensure(record.set->is_single_rank || record.colouring != nullptr ||
                     !meets_in_rows_read(record, queue.args_of(record), extent),
                 "a loop has no order in common on several ranks, and no colours");
    if (rules.reproducible && !record.set->is_single_rank && has_info(queue.args_of(record)) &&
        sets_payloads_in_order(record, queue.args_of(record)))
      refuse_payloads(record, communicator.size());
    const bool by_rows = rules.by_rows && may_run_by_rows(record, queue.args_of(record));
    order[compared[n]] = by_rows ? Order::by_rows : Order::by_global_index;
  }
  return order;
}

void report_order(const core::Queue& queue, const Facts& facts, const Step& step, core::Log& log) {
  if (!step.runs() || step.order == Order::any || has_payload(step.args)) return;
  const std::string which = named_with_site(queue.records()[step.record]);
  if (step.order == Order::by_rows)
    return log.warning_once(
        which + " by rows",
        fmt::format("{}: elements write rows that others use, so the result depends on their "
                    "order, which follows from the number of threads{}; declare OP_INC if all they "
                    "do is add, OP_MIN or OP_MAX if they keep the least or the greatest, or split "
                    "the loop into one that reads and one that writes; OP2_RENUMBER=off keeps the "
                    "declared order, on one thread",
                    which, why_not_increments(queue, facts, step.record)));
  log.warning_once(
      which + " on one thread",
      fmt::format("{} runs on one thread: elements write rows that others "
                  "use, so the result depends on their order{}; if all they do is add, or take "
                  "minima or maxima, make the argument OP_INC, OP_MIN or OP_MAX, which all threads "
                  "run, else this is right",
                  which, why_not_increments(queue, facts, step.record)));
}

}  // namespace op2::sched
