// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "names.hpp"

namespace op2::embed {
namespace {

using Row = std::array<std::string, 4>;

Row row_of(const Unit& unit, const Loop& loop, const std::vector<EmbeddedKernel>& kernels) {
  FileLocation location = file_location(unit.sources(), loop.location);
  std::string kernel = loop.is_lambda ? "(lambda)" : "(variable)", result;
  if (loop.kernel != nullptr) {
    const auto* known = find(kernels, loop.kernel);
    location = known->location;
    kernel = full_name(*loop.kernel).substr(2);
    result = fmt::format("{} bytes", known->source.code.size());
  }
  const std::string reason = loop_reason(loop, kernels);
  return {
      loop.name.empty() ? "?" : loop.name, kernel,
      fmt::format("{}:{}", std::filesystem::path(location.file).filename().string(), location.line),
      reason.empty() ? result.empty() ? "any function of its type" : result : reason};
}

}  // namespace

std::string loop_table(const Unit& unit, const Loops& loops,
                       const std::vector<EmbeddedKernel>& kernels) {
  std::vector<Row> rows{{"loop", "kernel", "location", "source"}};
  for (const Loop& loop : loops.loops) rows.push_back(row_of(unit, loop, kernels));
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows)
    table += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2],
                         widths[2], row[3]);
  return table;
}

std::vector<Message> missing_sources(const Unit& unit, const Loops& loops,
                                     const std::vector<EmbeddedKernel>& kernels) {
  std::vector<Message> messages;
  std::set<const clang::FunctionDecl*> reported;
  for (const Loop& loop : loops.loops) {
    const std::string reason = loop_reason(loop, kernels);
    if (reason.empty()) continue;
    Message message{Message::Severity::warning, file_location(unit.sources(), loop.location), {}};
    std::string who = fmt::format("kernel of loop '{}'", loop.name);
    if (loop.kernel != nullptr) {
      if (!reported.insert(loop.kernel->getCanonicalDecl()).second) continue;
      message.location = find(kernels, loop.kernel)->location;
      message.location.column = std::max(message.location.column, 1);
      who = fmt::format("kernel '{}'", loop.kernel->getNameAsString());
    }
    message.text = fmt::format("{}: {}; it will run as a function pointer", who, reason);
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace op2::embed
