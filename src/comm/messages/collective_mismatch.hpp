// SPDX-License-Identifier: BSD-3-Clause
// The error of ranks that make different calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <op2/error.hpp>

namespace op2::comm {

/// The call that a rank is in, one line per step.
struct Position {
  int rank;
  std::uint64_t fingerprint;
  std::string steps;
};

/// How a line of `Position::steps` begins that is a declaration (Communicator::declare).
inline constexpr std::string_view declared_prefix = "declares ";

/// The error of two ranks that should make the same call. Shows the first line in which they
/// differ, from both sides. Its code is kernel_differs if that line is the same loop with two
/// values of `source=<hash>`, otherwise collective_mismatch. Local.
Error collective_mismatch(const Position& a, const Position& b);

}  // namespace op2::comm
