// SPDX-License-Identifier: BSD-3-Clause
// How the processor rounds: a state of each thread, which programs and -ffast-math may change.
#pragma once

namespace op2::core {

/// What makes the calling thread round in another way than to nearest, denormal numbers included:
/// "it rounds upwards", "it takes denormal numbers for zero" ...; null: nothing. Local.
/// Cost: some 10 ns.
const char* other_rounding();

/// Lets the calling thread round to nearest, denormal numbers included.
void round_to_nearest();

}  // namespace op2::core
