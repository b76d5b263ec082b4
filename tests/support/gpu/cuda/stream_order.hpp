// SPDX-License-Identifier: BSD-3-Clause
// Which stream is meant, and what comes before new work of it besides its own?
#pragma once

#include "machine.hpp"

namespace op2::test::gpu::cuda {

/// To be called for each piece of work: the null stream and blocking streams take turns.
/// @param handle  null: the null stream. @throws DriverError
Device::StreamNumber stream_number(Context& context, Stream* handle);

}  // namespace op2::test::gpu::cuda
