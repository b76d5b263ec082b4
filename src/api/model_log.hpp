// SPDX-License-Identifier: BSD-3-Clause
// OP2_MODEL: writes what op2-model needs of a run (core/run_record.hpp), and the maps beside it.
#pragma once

namespace op2::api {

class Runtime;

/// Collective; the root writes. Cost: the maps travel to the root, one after the other.
/// @throws Error io_failure, on all ranks, if it cannot
void write_model(Runtime& runtime);

}  // namespace op2::api
