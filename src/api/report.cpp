// SPDX-License-Identifier: BSD-3-Clause
#include <api/report.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <comm/files/file_writer.hpp>
#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/error.hpp>

namespace op2::api {
namespace {

std::string table_for(const std::string& path, const core::LoopTable& table) {
  if (path.ends_with(".csv")) return core::table_as_csv(table);
  if (path.ends_with(".json")) return core::table_as_json(table);
  return core::table_as_text(table);
}

void check_folder(const char* variable, const std::string& path) {
  if (path.empty()) return;
  const std::string folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
    core::fail(ErrorCode::io_failure,
               "the report cannot be written: {}={}, {} for its folder; choose another", variable,
               path, std::strerror(errno));
}

}  // namespace

core::LoopTable table_of_all_ranks(Runtime& runtime) {
  runtime.enter("per-loop table");
  core::LoopTable all;
  std::vector<comm::FoldedValues> numbers;
  for (const core::LoopRow& mine : runtime.table.rows()) {
    core::LoopRow& row = all.row(mine.name);
    row = mine;
    numbers.push_back({Type::i64, comm::Fold::sum, 1, &row.elements});
    numbers.push_back({Type::f64, comm::Fold::sum, 1, &row.bytes});
    numbers.push_back({Type::f64, comm::Fold::greatest, 1, &row.seconds});
  }
  comm::reduce_values(runtime.ranks(), numbers);
  return all;
}

comm::HaloMemory halo_memory_of_ranks(Runtime& runtime) {
  comm::HaloMemory most{0, 0};
  if (!runtime.rows.distributed()) return most;
  most = comm::halo_memory(runtime.rows.halo_plan(), runtime.mesh);
  const comm::FoldedValues both[] = {{Type::i64, comm::Fold::greatest, 1, &most.rows},
                                     {Type::i64, comm::Fold::greatest, 1, &most.lists}};
  comm::reduce_values(runtime.ranks(), both);
  return most;
}

std::string summary_of_all_ranks(Runtime& runtime) {
  runtime.enter("summary");
  op_jit_statistics jit{};
  for (const auto& of : comm::gather_records(runtime.ranks(), runtime.jit.statistics())) {
    jit.compiled += of.compiled;
    jit.disk_hits += of.disk_hits;
    jit.received += of.received;
    jit.memory_hits += of.memory_hits;
    jit.compile_seconds += of.compile_seconds;
    jit.wait_seconds = std::max(jit.wait_seconds, of.wait_seconds);
  }
  std::string text = fmt::format(
      "JIT: {} compiled in {:.3f} s, {} from the cache directory, {} received, {} from memory; "
      "loops waited {:.3f} s\n",
      jit.compiled, jit.compile_seconds, jit.disk_hits, jit.received, jit.memory_hits,
      jit.wait_seconds);
  if (runtime.alone()) return text;
  op_chain_statistics halo{};
  std::int64_t iterations = 0;
  for (const auto& of : comm::gather_records(runtime.ranks(), runtime.engine.statistics())) {
    halo.exchanges = std::max(halo.exchanges, of.exchanges);
    halo.messages += of.messages;
    halo.bytes += of.bytes;
    halo.redundant_iterations += of.redundant_iterations;
    iterations += of.core_iterations + of.rest_iterations;
    halo.layers = std::max(halo.layers, of.layers);
    halo.wait_seconds = std::max(halo.wait_seconds, of.wait_seconds);
  }
  const comm::HaloMemory memory = halo_memory_of_ranks(runtime);
  return text +
         fmt::format(
             "Halos: {} ranks, {} exchanges of up to {} layers, {} messages, {:.3f} MB; "
             "{:.2f} % redundant iterations; waited {:.3f} s; rows of {:.3f} MB and lists of "
             "{:.3f} MB on a rank\n",
             runtime.ranks().size(), halo.exchanges, halo.layers, halo.messages,
             1e-6 * static_cast<double>(halo.bytes),
             100.0 * static_cast<double>(halo.redundant_iterations) /
                 static_cast<double>(std::max<std::int64_t>(1, iterations)),
             halo.wait_seconds, 1e-6 * static_cast<double>(memory.rows),
             1e-6 * static_cast<double>(memory.lists));
}

void check_report_paths(Runtime& runtime) {
  if (runtime.options.timing.empty() && !runtime.trace.on()) return;  // equal on all ranks
  runtime.enter("paths of reports");
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    check_folder("OP2_TIMING", runtime.options.timing);
    check_folder("OP2_TRACE", runtime.options.trace);
  });
}

void write_timing(Runtime& runtime) {
  const std::string& path = runtime.options.timing;
  if (path.empty()) return;
  const core::LoopTable table = table_of_all_ranks(runtime);
  runtime.enter("OP2_TIMING");
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    comm::FileWriter file(path);
    file.write(table_for(path, table));
    file.publish();
  });
}

void write_trace(Runtime& runtime) {
  if (!runtime.trace.on()) return;
  runtime.enter("trace");
  std::vector<std::string> events;
  runtime.collectively([&] {
    const std::string mine = runtime.trace.events(runtime.ranks().rank());
    for (const auto& message : comm::gather_on_root(runtime.ranks(), comm::bytes_of(mine)))
      events.push_back(comm::text_of(message.bytes));
  });
  runtime.enter("OP2_TRACE");
  runtime.check_together([&] {
    if (!runtime.ranks().is_root()) return;
    comm::FileWriter file(runtime.options.trace);
    file.write(core::trace_as_json(events, runtime.trace.dropped()));
    file.publish();
  });
}

}  // namespace op2::api
