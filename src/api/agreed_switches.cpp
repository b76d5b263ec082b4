// SPDX-License-Identifier: BSD-3-Clause
#include <api/agreed_switches.hpp>

#include <fmt/format.h>

namespace op2::api {

std::string agreed_switches(const core::Options& options) {
  const auto number = [](auto value) { return static_cast<int>(value); };
  const int debug_words = (options.eliminate_dead_loops ? 0 : 1) + 2 * number(options.simd) +
                          (options.fuse ? 0 : 8) + (options.queue_loops ? 0 : 16);
  // Only auto counts with tiles on all ranks; otherwise each rank may choose its own.
  const core::Tiling tile =
      options.chain == core::ChainMode::automatic ? options.tile : core::Tiling{};
  const int checks = number(options.check_bits) + 2 * number(options.check_finite);
  return fmt::format(
      "OP2_CHAIN {}, OP2_DEPTH_MAX {}, OP2_SLICE {}, OP2_TILE {} of {} rows, queue_max {}, "
      "exchange {}, OP2_TARGET {}, "
      "OP2_JIT {}, OP2_REPRODUCIBLE {}, OP2_FP_CONTRACT {}, OP2_REDUCE {}, node_size {}, "
      "schedules {}, OP2_DEBUG {} (numbers of their values), OP2_PARTITIONER '{}', OP2_TIMING {}, "
      "OP2_TRACE {}, OP2_HASH {}, OP2_MODEL {}, OP2_ASYNC_IO {} (set or not), OP2_CHECK {}",
      number(options.chain), options.depth_max, options.slice, number(tile.mode), tile.rows,
      options.queue_max, number(options.exchange), number(options.target), number(options.jit),
      options.reproducible, options.contracts(), number(options.reduce), options.node_size,
      options.schedules, debug_words, options.partitioner, !options.timing.empty(),
      !options.trace.empty(), !options.hash_file.empty(), !options.model_file.empty(),
      options.async_io_bytes > 0, checks);
}

}  // namespace op2::api
