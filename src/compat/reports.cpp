// SPDX-License-Identifier: BSD-3-Clause
// Tables: times of loops and sections, and rows that the program fills itself.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <op2/compat/op2_functions.h>
#include <op2/compat/op2_profile.h>
#include <op2/compat/op2_stubs.h>

#include <api/report.hpp>
#include <api/session.hpp>
#include <comm/files/open_file.hpp>
#include <comm/messages/records.hpp>
#include <compat/errors.hpp>
#include <compat/program.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

namespace op2::compat {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Section, name, calls, seconds, sections)

namespace {

Section& inner_named(Section& section, const std::string& name) {
  const auto found = std::ranges::find(section.sections, name, &Section::name);
  if (found != section.sections.end()) return *found;
  // Only the innermost open section grows, so that no open section moves in memory.
  return section.sections.emplace_back(Section{name});
}

void append_lines(std::string& text, const Section& section, int depth) {
  for (const Section& inner : section.sections) {
    const std::string name = std::string(static_cast<std::size_t>(2 * depth), ' ') + inner.name;
    text += fmt::format("{:<34} {:>9} {:>10.4f}\n", name, inner.calls, inner.seconds);
    append_lines(text, inner, depth + 1);
  }
}

/// Merges the sections of another rank: calls and seconds become the greater ones.
void merge(Section& into, const Section& other) {
  into.calls = std::max(into.calls, other.calls);
  into.seconds = std::max(into.seconds, other.seconds);
  for (const Section& inner : other.sections) merge(inner_named(into, inner.name), inner);
}

/// A table, one line per section, indented; empty without sections.
std::string to_text(const Section& all) {
  if (all.sections.empty()) return "";
  std::string text = fmt::format("{:<34} {:>9} {:>10}\n", "section", "calls", "seconds");
  append_lines(text, all, 0);
  return text;
}

constexpr auto replace_faults = nlohmann::json::error_handler_t::replace;

/// Rows of this rank that the program has filled itself.
std::string rows_as_text() {
  std::string text;
  for (const kernel_row& row : program().kernels)
    if (row.count > 0)
      text += fmt::format("{:<34} {:>9} {:>10.4f}\n", row.name == nullptr ? "" : row.name,
                          row.count, row.time);
  return text.empty()
             ? text
             : fmt::format("{:<34} {:>9} {:>10}\n", "OP_kernels", "calls", "seconds") + text;
}

/// The sections of all ranks on the root, those of this rank elsewhere. Collective.
Section sections_of_all(api::Runtime& runtime) {
  Section all = program().profile.all();
  runtime.enter("sections of the profile");
  for (const std::string& text : runtime.texts_on_root(
           [&] { return nlohmann::json(all).dump(-1, ' ', false, replace_faults); }))
    merge(all, nlohmann::json::parse(text).get<Section>());
  return all;
}

std::string profile_as_json(const Section& sections, const core::LoopTable& table) {
  nlohmann::json all = nlohmann::json::parse(core::table_as_json(table));
  all["sections"] = sections.sections;
  return all.dump(2, ' ', false, replace_faults) + "\n";
}

/// OP_PROFILE_JSON_OUTPUT of the root, or nothing. Collective while the library runs: launchers do
/// not give all variables to all ranks.
std::string wanted_json_path(api::Runtime* runtime) {
  const char* const wanted = secure_getenv("OP_PROFILE_JSON_OUTPUT");
  const std::string mine = wanted == nullptr ? "" : wanted;
  if (runtime == nullptr) return mine;
  runtime->enter("OP_PROFILE_JSON_OUTPUT");
  return runtime->collectively(
      [&] { return comm::text_of(runtime->ranks().broadcast(comm::bytes_of(mine), 0)); });
}

/// The path of a profile; `path` may be null.
std::string json_path(api::Runtime* runtime, const char* path) {
  if (path != nullptr && *path != '\0') return path;
  const std::string wanted = wanted_json_path(runtime);
  return wanted.empty() ? "op_profile.json" : wanted;
}

/// The session, or null if there is none.
api::Runtime* session_if_any() {
  return api::session_or_null() == nullptr ? nullptr : &api::usable();
}

/// Writes a file on the root. Collective.
/// @param path  equal on all ranks
/// @throws Error bad_name, io_failure; on all ranks
void write_on_root(api::Runtime& runtime, const char* function, const char* path,
                   const std::function<std::string()>& text) {
  core::check_path(function, path);
  runtime.enter("{} '{}'", function, path);
  runtime.do_on_root([&] { comm::write_file(path, text()); });
}

}  // namespace

void Profile::enter(const std::string& name) {
  Section& section = inner_named(innermost(), name);
  ++section.calls;
  open_.push_back({&section, core::Clock::now()});
}

void Profile::leave() {
  if (open_.empty()) return;
  open_.back().section->seconds += core::seconds_since(open_.back().begin);
  open_.pop_back();
}

void Profile::add(const std::string& name, double seconds) {
  Section& section = inner_named(innermost(), name);
  ++section.calls;
  section.seconds += seconds;
}

void op_timing_output() {
  guarded([] {
    ::op_timing_output();
    compat::op_printf("%s", rows_as_text().c_str());
  });
}
void op_timing_output_2_file(const char* path) {
  in_session([&](api::Runtime& runtime) {
    runtime.flush();
    const core::LoopTable table = api::table_of_all_ranks(runtime);
    const std::string summary = api::summary_of_all_ranks(runtime);
    write_on_root(runtime, "op_timing_output_2_file", path,
                  [&] { return core::table_as_text(table) + summary + rows_as_text(); });
  });
}
void op_timings_to_csv(const char* path) {
  in_session([&](api::Runtime& runtime) {
    runtime.flush();
    const core::LoopTable table = api::table_of_all_ranks(runtime);
    write_on_root(runtime, "op_timings_to_csv", path, [&] { return core::table_as_csv(table); });
  });
}

void op_timing_realloc(int kernel) {
  auto& rows = program().kernels;
  if (kernel < 0) return;
  while (rows.size() <= static_cast<std::size_t>(kernel)) {
    rows.push_back(kernel_row{});
    rows.back().name = "unused";
  }
}
void op_timing_realloc_manytime(int kernel, int times) {
  compat::op_timing_realloc(kernel);
  if (kernel < 0 || times < 1) return;
  Program& of = program();
  kernel_row& row = of.kernels[static_cast<std::size_t>(kernel)];
  if (row.ntimes >= times) return;
  std::vector<double>& longer = of.times.emplace_back(static_cast<std::size_t>(times));
  std::copy(row.times, row.times + row.ntimes, longer.begin());
  row.times = longer.data();
  row.ntimes = times;
}

void op_mpi_perf_time(const char* name, double seconds) {
  program().profile.add(name == nullptr ? "" : name, seconds);
}

void profile_enter(const char* name) {
  program().profile.enter(name == nullptr ? "" : name);
}
void profile_exit() {
  program().profile.leave();
}
void profile_next(const char* name) {
  Profile& profile = program().profile;
  if (profile.depth() > 1) profile.leave();
  profile.enter(name == nullptr ? "" : name);
}
void profile_end() {
  if (api::session_or_null() != nullptr) guarded([] { ::op_flush(); });
  while (program().profile.depth() > 0) program().profile.leave();
}

void profile_output() {
  guarded([] {
    Section sections = program().profile.all();
    api::Runtime* const runtime = session_if_any();
    if (runtime != nullptr) {
      compat::op_timing_output();
      sections = sections_of_all(*runtime);
    }
    compat::op_printf("%s", to_text(sections).c_str());
    const std::string path = wanted_json_path(runtime);
    if (!path.empty()) profile_output_json(path.c_str());
  });
}
void profile_output_json(const char* path) {
  guarded([&] {
    api::Runtime* const runtime = session_if_any();
    const std::string file = json_path(runtime, path);
    if (runtime == nullptr) {
      if (program().rank == 0) comm::write_file(file, profile_as_json(program().profile.all(), {}));
      return;
    }
    runtime->flush();
    const core::LoopTable table = api::table_of_all_ranks(*runtime);
    const Section sections = sections_of_all(*runtime);
    write_on_root(*runtime, "op_profile_output_json", file.c_str(),
                  [&] { return profile_as_json(sections, table); });
  });
}

}  // namespace op2::compat
