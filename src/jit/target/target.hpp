// SPDX-License-Identifier: BSD-3-Clause
// The interface of a kind of processor that loops are compiled for: from a nest to sources, from
// sources to a binary, from a binary to an entry that the executor of the same target launches. The
// cache, the inspector and the sharing of code between processes are the same for all targets.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <jit/compile_result.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_request.hpp>
#include <jit/simd.hpp>

namespace op2::jit {

struct CompiledLoop;

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
  virtual CompileResult read_kernels(const LoopRequest& request);

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

}  // namespace op2::jit
