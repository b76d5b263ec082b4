// SPDX-License-Identifier: BSD-3-Clause
#include <api/report.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <comm/files/file_writer.hpp>
#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <op2/runtime.hpp>

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

template <class T>
comm::FoldedValues sum(T& value) {
  return {type_of<T>(), comm::Fold::sum, 1, &value};
}
template <class T>
comm::FoldedValues least(T& value) {
  return {type_of<T>(), comm::Fold::least, 1, &value};
}
template <class T>
comm::FoldedValues greatest(T& value) {
  return {type_of<T>(), comm::Fold::greatest, 1, &value};
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
    numbers.push_back(sum(row.elements));
    numbers.push_back(sum(row.tiled));
    numbers.push_back(sum(row.bytes));
    numbers.push_back(sum(row.flops));
    numbers.push_back(sum(row.uncounted));
    numbers.push_back(greatest(row.seconds));
    numbers.push_back(least(row.least_seconds = mine.seconds));
    numbers.push_back(sum(row.mean_seconds = mine.seconds));
  }
  comm::reduce_values(runtime.ranks(), numbers);
  all.set_ranks(runtime.ranks().size());
  for (const core::LoopRow& mine : runtime.measurements.table.rows())
    all.row(mine.name).mean_seconds /= all.ranks();
  for (const auto& [subject, text] : runtime.measurements.table.notes()) all.note(subject, text);
  runtime.enter("times of ranks");
  std::vector<std::string> times;
  runtime.collectively([&] {
    const std::string mine = core::times_of_rank(runtime.measurements.profile, memory_of(runtime));
    for (const auto& message : comm::gather_on_root(runtime.ranks(), comm::bytes_of(mine)))
      times.push_back(comm::text_of(message.bytes));
  });
  if (!times.empty()) all.set_times(core::times_of_run(times));
  return all;
}

comm::HaloMemory halo_memory_of_ranks(Runtime& runtime) {
  if (!runtime.rows.has_halo_plan()) return {0, 0};
  comm::HaloMemory most = comm::halo_memory(runtime.rows.halo_plan(), runtime.mesh);
  const comm::FoldedValues both[] = {greatest(most.rows), greatest(most.lists)};
  comm::reduce_values(runtime.ranks(), both);
  return most;
}

std::string summary_of_all_ranks(Runtime& runtime) {
  runtime.enter("summary");
  op_jit_statistics jit = runtime.jit_statistics();
  op_chain_statistics halo = runtime.engine.statistics();
  std::int64_t iterations = halo.interior_iterations + halo.boundary_iterations;
  const comm::FoldedValues all[] = {sum(jit.compiled),
                                    sum(jit.disk_hits),
                                    sum(jit.received),
                                    sum(jit.memory_hits),
                                    sum(jit.compile_seconds),
                                    greatest(jit.wait_seconds),
                                    greatest(halo.exchanges),
                                    sum(halo.messages),
                                    sum(halo.bytes),
                                    sum(halo.redundant_iterations),
                                    sum(iterations),
                                    greatest(halo.layers),
                                    greatest(halo.wait_seconds)};
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
  runtime.do_on_root([&] {
    comm::FileWriter file(path);
    file.write(table_for(path, table));
    file.publish();
  });
}

}  // namespace op2::api
