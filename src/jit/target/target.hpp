// SPDX-License-Identifier: BSD-3-Clause
// The interface of a kind of processor that loops are planned and compiled for. The cache, the
// inspector and the sharing of code between processes are the same for all targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <core/options.hpp>
#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/loop_nest.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

struct CompiledLoop;

// What plans of loops must know of a kind of processor before there is code for it. All answers are
// uniform: they follow from descriptors, sources and switches.

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

// How loops are compiled: from a nest to sources, from sources to a binary, from a binary to an
// entry that the executor of the same target launches.

/// The generated sources of a loop.
struct EmittedLoop {
  std::vector<std::string> units;  ///< translation units
  std::string symbol;              ///< of the entry that they define
  SimdChoice simd;                 ///< as far as the nest decides; the compiler may not vectorise
};

/// All units, for display.
std::string joined(const std::vector<std::string>& units);

/// Functions may be called from several threads at once; only `info` and `emit` need to be cheap.
class Target {
 public:
  virtual ~Target() = default;

  /// "cpu"; part of every key, and what op2-jitinspect lists.
  virtual std::string name() const = 0;

  /// The processor and the compiler; processes of equal target, info and options share code.
  virtual TargetInfo info() const = 0;

  /// Options that affect code, for the key.
  virtual std::string options() const = 0;

  /// Pure: equal nests give equal sources.
  virtual EmittedLoop emit(const LoopNest& nest) const = 0;

  /// @param loop  from `emit` of the request's nest; changed if other sources were compiled
  virtual CompileResult compile(const LoopRequest& request, EmittedLoop& loop) = 0;

  /// Reads the kernels of a request and compiles nothing: errors and warnings, signatures, violated
  /// access modes of those whose origin asks, and what the source of the last kernel proves. A
  /// target whose compiler gives no more than a binary cannot (`unavailable`).
  virtual CompileResult read_kernels(const LoopRequest&) {
    return failed_compilation(CompileStatus::unavailable);
  }

  /// @param symbols  addresses of the constants
  virtual LinkResult load(const std::vector<std::byte>& binary, const std::string& symbol,
                          const std::vector<LinkSymbol>& symbols) = 0;

  /// Makes the names of loaded code known outside, if that is wanted; as long as the result lives.
  virtual std::shared_ptr<void> publish(const LoopRequest&,
                                        const std::vector<std::byte>& /*binary*/,
                                        const CompiledLoop&) {
    return nullptr;
  }
};

/// The fields of a loop's key.
/// @param units  that `target` emitted for the nest; their hash is in the key, with the library's
///               version and the entry's format, so that code of another version is never used
/// @param flags  further compile flags that affect the entry
KeyFields fields_of(const LoopNest& nest, const std::vector<std::string>& units,
                    const Target& target, const std::string& flags);

/// Those that name the machine and its compiler.
void add_machine(KeyFields& fields, const TargetInfo& info);

}  // namespace op2::jit
