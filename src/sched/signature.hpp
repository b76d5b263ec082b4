// SPDX-License-Identifier: BSD-3-Clause
// The collective signature of a queue: what a rank is about to execute, so that a collective
// mismatch can name both sides.
#pragma once

#include <cstdint>
#include <string>

#include <core/queue.hpp>

namespace op2::sched {

/// A line per record: name, call site, set with its global size, arguments, and a hash of the
/// kernel's source. Equal on ranks that queued the same. Cost: a hash of every source.
std::string describe_queue(const core::Queue& queue);

/// 64 bits of a hash of `text`.
std::uint64_t fingerprint_of(const std::string& text);

/// A different fingerprint for each repetition.
inline std::uint64_t numbered(std::uint64_t fingerprint, std::uint64_t number) {
  return fingerprint ^ (number * 0x9e3779b97f4a7c15ULL);
}

}  // namespace op2::sched
