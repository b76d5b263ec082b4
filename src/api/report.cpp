// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of the session that it observes: timers, statistics, regions, what it prints,
// and the reports at the end.
#include <api/report.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include <op2/region.hpp>
#include <op2/runtime.hpp>

#include <api/session.hpp>
#include <comm/files/open_file.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

constexpr const char* standard_output = "-";  // in place of a path

std::string table_for(const std::string& path, const core::LoopTable& table) {
  if (path.ends_with(".csv")) return core::table_as_csv(table);
  if (path.ends_with(".json")) return core::table_as_json(table);
  return core::table_as_text(table);
}

/// Begins the file as at op_exit, without changing what is there, so that a run need not end to
/// fail.
void check_target(const char* variable, const std::string& path) {
  if (path.empty()) return;
  try {
    const comm::NewFile file(path, comm::Leftovers::keep);
  } catch (const Error& error) {
    core::fail(ErrorCode::io_failure, "the report cannot be written: {}={}, {}", variable, path,
               core::text_without_code(error.what()));
  }
}

using comm::Fold;

template <class T>
comm::FoldedValues over_ranks(Fold fold, T& value) {
  return {type_of<T>(), fold, 1, &value};
}

/// Of this rank, in bytes.
std::vector<core::MemoryUse> memory_of(Runtime& runtime) {
  double dats = 0, maps = 0;
  for (const auto& dat : runtime.mesh.dats()) dats += static_cast<double>(dat->bytes());
  for (const auto& map : runtime.mesh.maps()) maps += static_cast<double>(map->entries.bytes());
  std::vector<core::MemoryUse> all{{"dats", dats}, {"maps", maps}};
  if (runtime.rows.has_halo_plan()) {
    const comm::HaloMemory halos = comm::halo_memory(runtime.rows.halo_plan(), runtime.mesh);
    all.push_back({"of these, halo rows", static_cast<double>(halos.rows)});
    all.push_back({"lists of halos", static_cast<double>(halos.lists)});
  }
  rusage use{};
  if (::getrusage(RUSAGE_SELF, &use) == 0)
    all.push_back({"peak of the process", 1024.0 * static_cast<double>(use.ru_maxrss)});
  return all;
}

/// Equal on all ranks.
std::int64_t executed_loops(const core::LoopTable& table) {
  std::int64_t loops = 0;
  for (const core::LoopRow& row : table.rows()) loops += row.calls + row.skipped;
  return loops;
}

}  // namespace

core::LoopTable table_of_all_ranks(Runtime& runtime) {
  runtime.enter("per-loop table");
  core::LoopTable all;
  std::vector<comm::FoldedValues> numbers;
  for (const core::LoopRow& mine : runtime.measurements.table.rows()) {
    core::LoopRow& row = all.row(mine.name);
    row = mine;
    numbers.push_back(over_ranks(Fold::sum, row.elements));
    numbers.push_back(over_ranks(Fold::sum, row.tiled));
    numbers.push_back(over_ranks(Fold::sum, row.bytes));
    numbers.push_back(over_ranks(Fold::sum, row.flops));
    numbers.push_back(over_ranks(Fold::sum, row.uncounted));
    numbers.push_back(over_ranks(Fold::greatest, row.seconds));
    numbers.push_back(over_ranks(Fold::least, row.least_seconds = mine.seconds));
    numbers.push_back(over_ranks(Fold::sum, row.mean_seconds = mine.seconds));
  }
  comm::reduce_values(runtime.ranks(), numbers);
  all.ranks = runtime.ranks().size();
  for (const core::LoopRow& mine : runtime.measurements.table.rows())
    all.row(mine.name).mean_seconds /= all.ranks;
  all.notes = runtime.measurements.table.notes;
  runtime.enter("times of ranks");
  const std::vector<std::string> times = runtime.texts_on_root(
      [&] { return core::times_of_rank(runtime.measurements.profile, memory_of(runtime)); });
  if (!times.empty()) all.times = core::times_of_run(times);
  return all;
}

comm::HaloMemory halo_memory_of_ranks(Runtime& runtime) {
  if (!runtime.rows.has_halo_plan()) return {0, 0};
  comm::HaloMemory most = comm::halo_memory(runtime.rows.halo_plan(), runtime.mesh);
  const comm::FoldedValues both[] = {over_ranks(Fold::greatest, most.rows),
                                     over_ranks(Fold::greatest, most.lists)};
  comm::reduce_values(runtime.ranks(), both);
  return most;
}

std::string summary_of_all_ranks(Runtime& runtime) {
  runtime.enter("summary");
  op_jit_statistics jit = runtime.jit_statistics();
  op_chain_statistics halo = runtime.engine.statistics();
  std::int64_t iterations = halo.interior_iterations + halo.boundary_iterations;
  const comm::FoldedValues all[] = {over_ranks(Fold::sum, jit.compiled),
                                    over_ranks(Fold::sum, jit.disk_hits),
                                    over_ranks(Fold::sum, jit.received),
                                    over_ranks(Fold::sum, jit.memory_hits),
                                    over_ranks(Fold::sum, jit.compile_seconds),
                                    over_ranks(Fold::greatest, jit.wait_seconds),
                                    over_ranks(Fold::greatest, halo.exchanges),
                                    over_ranks(Fold::sum, halo.messages),
                                    over_ranks(Fold::sum, halo.bytes),
                                    over_ranks(Fold::sum, halo.redundant_iterations),
                                    over_ranks(Fold::sum, iterations),
                                    over_ranks(Fold::greatest, halo.layers),
                                    over_ranks(Fold::greatest, halo.wait_seconds)};
  comm::reduce_values(runtime.ranks(), all);
  const comm::HaloMemory memory = halo_memory_of_ranks(runtime);
  std::string text = fmt::format(
      "JIT: {} compiled in {:.3f} s, {} from the cache directory, {} received, {} from memory; "
      "loops waited {:.3f} s\n",
      jit.compiled, jit.compile_seconds, jit.disk_hits, jit.received, jit.memory_hits,
      jit.wait_seconds);
  const auto reductions = static_cast<std::size_t>(core::Part::reductions);
  if (const auto sent = runtime.measurements.profile.part_times()[reductions].entries; sent > 0)
    text += fmt::format("Reductions: {} over {} ranks\n", sent, runtime.ranks().size());
  if (halo.exchanges == 0 && memory.rows == 0) return text;
  return text + fmt::format(
                    "Halos: {} ranks, {} exchanges of up to {} layers, {} messages, {:.3f} MB; "
                    "{:.2f} % redundant iterations; waited {:.3f} s; rows of {:.3f} MB and lists "
                    "of {:.3f} MB on a rank\n",
                    runtime.ranks().size(), halo.exchanges, halo.layers, halo.messages,
                    1e-6 * static_cast<double>(halo.bytes),
                    100.0 * static_cast<double>(halo.redundant_iterations) /
                        static_cast<double>(std::max<std::int64_t>(1, iterations)),
                    halo.wait_seconds, 1e-6 * static_cast<double>(memory.rows),
                    1e-6 * static_cast<double>(memory.lists));
}

void check_report_paths(Runtime& runtime) {
  const core::Options& options = runtime.options;
  if (options.timing.empty() && options.trace.empty() && options.model_file.empty())
    return;  // equal on all ranks
  runtime.enter("paths of reports");
  runtime.do_on_root([&] {
    if (options.timing != standard_output) check_target("OP2_TIMING", options.timing);
    check_target("OP2_TRACE", options.trace);
    check_target("OP2_MODEL", options.model_file);
  });
}

/// The host waits for the loops of a device only if they are measured.
const char* note_on_device(const core::Options& options) {
  const bool measured = !options.timing.empty() || !options.trace.empty();
  if (options.target != core::Target::cuda || measured) return "";
  return "Loops on the device are not measured, their seconds are those of the host, and GB/s, "
         "GFLOP/s and shares follow from them: set OP2_TIMING\n";
}

void print_timing(Runtime& runtime) {
  runtime.printed_loops = executed_loops(runtime.measurements.table);
  const core::LoopTable table = table_of_all_ranks(runtime);
  const std::string summary = summary_of_all_ranks(runtime);
  if (!runtime.ranks().is_root()) return;  // op_printf does not know that when the session ends
  op_printf("%s%s%s", note_on_device(runtime.options), core::table_as_text(table).c_str(),
            summary.c_str());
}

void write_timing(Runtime& runtime) {
  const std::string& path = runtime.options.timing;
  if (path.empty()) return;
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  if (path == standard_output) {
    const bool is_printed = runtime.printed_loops == executed_loops(runtime.measurements.table);
    return is_printed ? void() : print_timing(runtime);
  }
  const core::LoopTable table = table_of_all_ranks(runtime);
  runtime.enter("OP2_TIMING");
  runtime.do_on_root([&] { comm::write_file(path, table_for(path, table)); });
}

}  // namespace op2::api

namespace {

/// Nothing without a session, or if no loop of this name has run.
const op2::core::LoopRow* row_of(const char* loop_name) {
  const auto* runtime = op2::api::session_or_null();
  return runtime != nullptr ? runtime->measurements.table.find(loop_name) : nullptr;
}

}  // namespace

void op_printf(const char* format, ...) {
  if (!op_is_root()) return;
  std::va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::fflush(stdout);
}

void op_timers(double* cpu, double* wall) {
  auto& runtime = op2::api::usable();
  runtime.finish();
  if (cpu != nullptr) *cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  if (wall != nullptr) *wall = runtime.ranks().seconds();
}

op_jit_statistics op_get_jit_statistics() {
  return op2::api::running().jit_statistics();
}

op_chain_statistics op_get_chain_statistics() {
  const auto* runtime = op2::api::session_or_null();
  return runtime != nullptr ? runtime->engine.statistics() : op_chain_statistics{};
}

std::int64_t op_get_loop_iterations(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row != nullptr ? row->elements : 0;
}

std::int64_t op_get_tiled_iterations(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row != nullptr ? row->tiled : 0;
}

op_loop_statistics op_get_loop_statistics(const char* loop_name) {
  const auto* row = row_of(loop_name);
  return row == nullptr
             ? op_loop_statistics{}
             : op_loop_statistics{row->interior, row->elements - row->interior, row->redundant};
}

op_halo_statistics op_get_halo_statistics(op_dat dat) {
  const auto& runtime = op2::api::running();
  op2::core::check_handle(runtime.mesh, "op_get_halo_statistics", dat);
  return runtime.engine.statistics_of(*op2::core::record_of(dat));
}

void op_timing_output() {
  auto& runtime = op2::api::usable();
  runtime.flush();
  op2::api::print_timing(runtime);
}

std::int64_t op2::detail::begin_region(const char* name) {
  auto& runtime = op2::api::running("op_region");
  op2::core::check_name("op_region", name);
  const std::int64_t begun = runtime.measurements.profile.begin_region(name);
  runtime.queue.set_region(runtime.measurements.profile.region());
  return begun;
}

void op2::detail::end_region(std::int64_t begun) noexcept {
  op2::api::Runtime* const runtime = op2::api::session_or_null();
  if (runtime == nullptr || runtime->forked() || !runtime->is_on_its_thread()) return;
  runtime->measurements.profile.end_region(begun);
  runtime->queue.set_region(runtime->measurements.profile.region());
}

void op_region_begin(const char* name) {
  static_cast<void>(op2::detail::begin_region(name));
}

void op_region_end() {
  auto& runtime = op2::api::running();
  if (!runtime.measurements.profile.end_region())
    op2::core::fail(
        op2::ErrorCode::bad_range,
        "a region ends that has not begun: op_region_end, 0 are open; call op_region_begin "
        "before it");
  runtime.queue.set_region(runtime.measurements.profile.region());
}
