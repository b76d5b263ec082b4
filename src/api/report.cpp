// SPDX-License-Identifier: BSD-3-Clause
#include <api/report.hpp>

#include <string>

#include <comm/file_writer.hpp>

namespace op2::api {
namespace {

std::string table_for(const std::string& path, const core::LoopTable& table) {
  if (path.ends_with(".csv")) return core::table_as_csv(table);
  if (path.ends_with(".json")) return core::table_as_json(table);
  return core::table_as_text(table);
}

}  // namespace

void write_timing(const Runtime& runtime) {
  const std::string& path = runtime.options.timing;
  if (path.empty()) return;
  comm::FileWriter file(path);
  file.write(table_for(path, runtime.table));
  file.publish();
}

void write_trace(const Runtime& runtime) {
  if (!runtime.trace.on()) return;
  comm::FileWriter file(runtime.options.trace);
  runtime.trace.write_json([&](std::string_view text) { file.write(text); });
  file.publish();
}

}  // namespace op2::api
