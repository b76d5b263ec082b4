// SPDX-License-Identifier: BSD-3-Clause
// The commands of op2-jitinspect. Each writes to standard output and returns the exit code.
#pragma once

#include <optional>
#include <string>

namespace op2::jitinspect {

enum class Part { summary, source, ir, assembly, key, statistics };

/// What the command line says. The options of all commands write here: a user gives one of them.
struct Request {
  std::string directory;  ///< empty: the one that the library uses
  bool json = false;
  std::string target;      ///< only its entries; empty: all
  std::string key, other;  ///< of entries, or paths of files
  Part part = Part::summary;
  std::optional<double> max_mb, older_than_days;
  bool bad = false, all = false, dry_run = false;
  int (*run)(const Request&) = nullptr;  ///< the command
};

/// One line per entry, the one used last first.
int list(const Request& request);

int show(const Request& request);

/// Counts and bytes, in all, by kernel, by target and by CPU.
int stats(const Request& request);

/// Names every bad entry and why it is bad; 1 if there is one.
int verify(const Request& request);

/// Removes entries.
int prune(const Request& request);

/// How the entry `key` differs from the nearest other one of its kernel, or of those that `other`
/// names.
int why_missed(const Request& request);

/// Compares two files that OP2_HASH has written; 1 if they differ.
int diff(const Request& request);

}  // namespace op2::jitinspect
