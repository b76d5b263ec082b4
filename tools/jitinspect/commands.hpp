// SPDX-License-Identifier: BSD-3-Clause
// The commands of op2-jitinspect. Each writes to standard output and returns the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace op2::jitinspect {

struct Common {
  std::string directory;  ///< empty: the one that the library uses
  bool json = false;
};

/// One line per entry, the one used last first. @param target  only its entries; empty: all
int list(const Common& common, const std::string& target);

enum class Part { summary, source, ir, assembly, key, statistics };
int show(const Common& common, const std::string& key, Part part);

/// Counts and bytes, in all, by kernel, by target and by CPU.
int stats(const Common& common);

/// Names every bad entry and why it is bad; 1 if there is one.
int verify(const Common& common);

struct PruneOptions {
  std::optional<double> max_mb;
  std::optional<double> older_than_days;
  bool bad = false;
  bool all = false;
  bool dry_run = false;
};
int prune(const Common& common, const PruneOptions& options);

/// How the entry differs from the nearest other one of its kernel, or of those that `other` names.
int why_missed(const Common& common, const std::string& key, const std::string& other);

/// Compares two files that OP2_HASH has written; 1 if they differ.
int diff(const Common& common, const std::string& path, const std::string& other_path);

}  // namespace op2::jitinspect
