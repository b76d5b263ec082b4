// SPDX-License-Identifier: BSD-3-Clause
#include <api/report.hpp>

#include <string>

#include <comm/file_writer.hpp>

namespace op2::api {
namespace {

void write_file(const std::string& path, const std::string& text) {
  comm::FileWriter file(path);
  file.write(text);
  file.publish();
}

std::string table_for(const std::string& path, const core::LoopTable& table) {
  if (path.ends_with(".csv")) return core::table_as_csv(table);
  if (path.ends_with(".json")) return core::table_as_json(table);
  return core::table_as_text(table);
}

}  // namespace

void write_reports(const Runtime& runtime) {
  if (!runtime.options.timing.empty())
    write_file(runtime.options.timing, table_for(runtime.options.timing, runtime.table));
  if (runtime.trace.on()) write_file(runtime.options.trace, runtime.trace.to_json());
}

}  // namespace op2::api
