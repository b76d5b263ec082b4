// SPDX-License-Identifier: BSD-3-Clause
// Which loops the host runs although the target is a GPU: those in colours, of which a device
// cannot run one alone, and with OP2_REPRODUCIBLE=on those whose bits would be others there.
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
      : on_device_(options.target == core::Target::cuda), reproducible_(options.reproducible) {}

  /// Why the host runs a loop, or one of its colours; empty: it need not. Uniform: it follows from
  /// the source and the arguments. Cost with OP2_REPRODUCIBLE=on: a scan of each kernel's source,
  /// once.
  std::string of(op_kernel kernel, bool in_colours, std::span<const core::LoopArg> args) const;

 private:
  const bool on_device_, reproducible_;
  mutable std::map<op_kernel, std::string> of_source_;
};

}  // namespace op2::sched
