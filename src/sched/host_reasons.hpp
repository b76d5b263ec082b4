// SPDX-License-Identifier: BSD-3-Clause
// Which loops the host runs although the target is a GPU, because their bits would be others there
// (OP2_REPRODUCIBLE=on).
#pragma once

#include <map>
#include <span>
#include <string>

#include <core/loop_record.hpp>
#include <core/options.hpp>

namespace op2::sched {

class HostReasons {
 public:
  explicit HostReasons(const core::Options& options)
      : apply_(options.reproducible && options.target == core::Target::cuda) {}

  /// Why the host runs a loop, or one of its colours; empty: it need not. Uniform: it follows from
  /// the source and the arguments. Cost: a scan of each kernel's source, once.
  std::string of(op_kernel kernel, bool in_colours, std::span<const core::LoopArg> args) const;

 private:
  const bool apply_;
  mutable std::map<op_kernel, std::string> of_source_;
};

}  // namespace op2::sched
