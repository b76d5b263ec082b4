// SPDX-License-Identifier: BSD-3-Clause
// From loop nests to functions that run them: from memory, from disk, or by the compiler.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <core/hash.hpp>
#include <core/log.hpp>
#include <core/loop_abi.hpp>
#include <core/measurements/listener.hpp>
#include <core/options.hpp>
#include <jit/backend.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_nest.hpp>
#include <jit/simd.hpp>
#include <op2/error.hpp>
#include <op2/runtime.hpp>

namespace op2::jit {

class Jit;
class Target;

/// Code of one nest, linked. Must not outlive the Jit that gave it.
struct CompiledLoop {
  std::string target;     ///< whose executor knows what `entry` is
  void* entry = nullptr;  ///< opaque: only an executor of the same target can launch it
  Key key{};
  std::string symbol;     ///< name of `entry` in its binary
  std::string signature;  ///< parameters of the kernels as written
  SimdChoice simd;
  double flops = core::unknown_flops;  ///< floating-point operations of an element
  bool from_disk = false;
  bool received = false;               ///< made by another process
  double compile_seconds = 0;          ///< 0 if from_disk or received
  std::shared_ptr<LinkedCode> linked;  ///< what `entry` points into
  std::shared_ptr<void> published;     ///< to debuggers; ends before the code
};

/// What became of a request: either code or the reason why there is none.
struct LoopCode {
  std::shared_ptr<const CompiledLoop> code;
  std::optional<Error> error;
  std::shared_ptr<const CacheEntry> entry{};  ///< of `make` only: what another process may adopt
};

/// Code that `Jit::make` returned, as bytes for `Jit::adopt` in another process.
std::vector<std::byte> serialize(std::span<const LoopCode> codes);

struct JitOptions {
  std::string plugin_dir{};  ///< instead of the library's folder, if not empty
  std::string cpu{};     ///< LLVM's name of the CPU, empty: the host; or "sm_90" for a GPU that is
                         ///< not there
  int threads = 0;       ///< parallel compilations; 0: one per hardware thread, at least 2
  CompileLimit limit{};  ///< of one kernel, on the CPU
  CacheOptions cache{};
  Sanitizers sanitizers{};
  core::SimdMode simd = core::SimdMode::where_it_pays;
  bool vector_math = false;                                   ///< OP2_VECTOR_MATH
  bool contract = true;                                       ///< OP2_FP_CONTRACT
  bool reproducible = false;                                  ///< OP2_REPRODUCIBLE
  core::Increments increments = core::Increments::automatic;  ///< on GPUs
  bool gdb_symbols = false, perf_map = false;  ///< on CPUs: names for debuggers, for profilers
  bool check_access = false;                   ///< kernels that break an access mode are errors
  /// The Jit of the CPU beside one for a device: its compiler explains what the device's refuses,
  /// and finds violated access modes. Null: there is none.
  Jit* reader = nullptr;
  /// Hear of a span of lane "compile" per compilation; may be null.
  const core::Listeners* listeners = nullptr;
  /// The constants declared so far; called on the thread that asks for code.
  std::function<std::vector<Constant>()> constants{};
};

/// Local. Called by one thread at a time; it compiles on several. Nothing is loaded or read before
/// it is needed or `preload` is called.
class Jit {
 public:
  /// Makes code for this machine's CPU with the plug-in.
  Jit(JitOptions options, core::Log& log);
  /// The same with another compiler; `load` may throw Error.
  Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load);
  /// Makes code for another target.
  Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Target>()> load);
  ~Jit();

  /// Loads the plug-in on another thread, while the program declares its mesh. After a failure,
  /// `compile` tries again and reports it.
  void preload();

  /// Waits until `preload` has ended. For a program that ends meanwhile: its static destructors,
  /// and those of the libraries that are being loaded, run next.
  void join_threads();

  /// Code for all loops of a chain, in the order of the requests. Code that is neither in memory
  /// nor on disk is compiled now, in parallel; equal nests are compiled once, in this process and
  /// among the processes that share the cache. The failure of one loop is its result, not an
  /// exception. A rejected source (E101 to E105, E107) stays rejected; after any other error the
  /// next call with this nest tries again.
  std::vector<LoopCode> compile(std::span<const LoopRequest> requests);

  // The steps of `compile`, between which ranks agree (sched/code.hpp).

  /// The requests that memory has no answer to, each nest once, in their order.
  std::vector<LoopRequest> missing(std::span<const LoopRequest> requests);

  /// From disk, otherwise by the compiler.
  std::vector<LoopCode> make(std::span<const LoopRequest> requests);

  /// Needs neither disk nor compiler.
  /// @param code  of the same requests, from a process of the same target. A loop without usable
  ///              code in it fails with an internal error.
  std::vector<LoopCode> adopt(std::span<const LoopRequest> requests,
                              std::span<const std::byte> code);

  /// Puts results into memory, and counts them.
  void keep(std::span<const LoopRequest> requests, std::vector<LoopCode> codes);

  /// @param requests  none is missing since the last `keep`
  std::vector<LoopCode> in_memory(std::span<const LoopRequest> requests) const;

  /// What the sources of kernels prove about the arguments of their calls: from memory, embedded in
  /// the program, from disk, or from the compiler. Local, deterministic; waits for the compiler
  /// where nothing else knows. Errors are not reported: a source that does not compile, or that no
  /// compiler can read here, proves nothing. For targets without such a compiler, ask the Jit of
  /// the CPU.
  /// @param requests  each with one call and its origin
  /// @return          one per request, in their order
  std::vector<KernelFacts> facts(std::span<const LoopRequest> requests);

  /// What the compiler for this target says of the kernels of a request, as Target::read_kernels;
  /// `unavailable` without a compiler. Any thread; does not throw.
  CompileResult read_kernels(const LoopRequest& request);

  /// The C++ that is first compiled for a nest, for display. Loads the plug-in, not the compiler.
  /// @throws Error as `target`
  std::string compiled_source(const LoopNest& nest);

  /// Equal in processes that can run each other's code: a hash of the machine, the compiler, the
  /// library's version and the options. Loads the plug-in, not the compiler.
  /// @throws Error plugin_failure, bad_option, not_compiled
  core::Digest target();

  op_jit_statistics statistics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace op2::jit
