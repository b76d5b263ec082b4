// SPDX-License-Identifier: BSD-3-Clause
// What plans of loops must know of a kind of processor before there is code for it. All answers
// are uniform: they follow from descriptors, sources and switches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <core/options.hpp>
#include <jit/loop_nest.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// Whether rows gather the increments of a loop in one kernel with the loops that use the sums
/// (LoopNest::gathered).
enum class Gathering {
  never,
  with_others,  ///< if a loop beside it gathers by itself
  by_itself
};

/// The answers of this base class are those of the host's processor, which runs everything. Not
/// thread safe.
class TargetRules {
 public:
  virtual ~TargetRules() = default;

  /// Whether it runs a loop with these arguments whose elements may run in any order.
  virtual bool can_run(std::span<const ArgShape>) const { return true; }

  /// Why the host runs a loop, or one colour of it, that `can_run`: "its sums have ..."; empty: it
  /// need not. Cost with OP2_REPRODUCIBLE=on: a scan of each kernel's source, once.
  virtual std::string reason_for_host(op_kernel, bool /*in_colours*/,
                                      std::span<const ArgShape>) const {
    return {};
  }

  /// Whether `gathering_of` may say anything but never.
  virtual bool gathers() const { return false; }
  virtual Gathering gathering_of(std::span<const ArgShape>) const { return Gathering::never; }

  /// Whether it executes these arguments as a nest that gathers.
  /// @param gathered  of that nest
  virtual bool can_gather(std::span<const ArgShape>,
                          std::span<const std::int32_t> /*gathered*/) const {
    return false;
  }

  /// Whether these arguments allow vector code at all, on any processor of the kind. Loops that do
  /// are not fused with loops that do not.
  virtual bool allows_vectors(std::span<const ArgShape> args) const;
};

/// Of OP2_TARGET.
std::unique_ptr<TargetRules> make_target_rules(const core::Options& options);

}  // namespace op2::jit
