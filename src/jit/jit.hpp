// SPDX-License-Identifier: BSD-3-Clause
// From loop nests to functions that run them: from memory, from disk, or by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
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
#include <jit/access_finding.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/loop_request.hpp>
#include <jit/remote/compile_limit.hpp>
#include <jit/simd.hpp>
#include <op2/error.hpp>
#include <op2/kernel.hpp>
#include <op2/runtime.hpp>

namespace op2::jit {

class Backend;
class LinkedCode;
class Target;

/// Code of one nest, linked. Lives as long as the Jit that gave it.
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

/// The result of a request that was not in memory: either code or an error.
struct Built {
  std::unique_ptr<const CompiledLoop> code;
  std::optional<Error> error;
};

/// Makes code of distinct nests; returns one Built per request, in their order.
using Maker = std::function<std::vector<Built>(std::span<const LoopRequest>)>;

/// The results of requests, and their code as bytes.
struct Production {
  std::vector<Built> built;
  std::vector<std::byte> code;  ///< for `Jit::adopt` in another process
};

/// Either code or the reason why there is none; neither while `get_ready` has it made.
struct Outcome {
  const CompiledLoop* code = nullptr;
  std::optional<Error> error;
};

struct JitOptions {
  std::string plugin_dir;  ///< instead of the library's folder, if not empty
  std::string cpu;     ///< LLVM's name of the CPU, empty: the host; or "sm_90" for a GPU that is
                       ///< not there
  int threads = 0;     ///< parallel compilations; 0: one per hardware thread, at least 2
  CompileLimit limit;  ///< of one kernel, on the CPU
  CacheOptions cache;
  Sanitizers sanitizers;
  core::SimdMode simd = core::SimdMode::where_it_pays;
  bool vector_math = false;                                   ///< OP2_VECTOR_MATH
  bool contract = true;                                       ///< OP2_FP_CONTRACT
  bool reproducible = false;                                  ///< OP2_REPRODUCIBLE
  core::Increments increments = core::Increments::automatic;  ///< on GPUs
  bool gdb_symbols = false, perf_map = false;  ///< on CPUs: names for debuggers, for profilers
  bool check_access = false;                   ///< kernels that break an access mode are errors
  /// Asked about what a target has compiled that finds no violated access modes itself, by any
  /// thread; does not throw. Null: nobody can.
  std::function<std::vector<AccessFinding>(const LoopRequest&)> compare_access;
  /// Hear of a span of lane "compile" per compilation; may be null.
  const core::Listeners* listeners = nullptr;
  /// The constants declared so far; called while `get` runs, on its thread.
  std::function<std::vector<Constant>()> constants;
};

/// Local; thread safe. Nothing is loaded or read before it is needed or `preload` is called.
///
/// The processes of a job share compilations through a Maker: for each `target` one of them
/// produces, and the others adopt.
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
  /// `get` tries again and reports it.
  void preload();

  /// Waits until no thread of this object loads or makes code. For a program that ends while they
  /// do: its static destructors, and those of the libraries that are being loaded, run next.
  void join_threads();

  /// Code for all loops of a chain, in the order of the requests. Code that is neither in memory
  /// nor on disk is compiled now, in parallel; equal nests are compiled once, in this process and
  /// among the processes that share the cache. The failure of one loop is its Outcome, not an
  /// exception. A rejected source (E101 to E105, E107) stays rejected; after any other error the
  /// next call with this nest tries again.
  std::vector<Outcome> get(std::span<const LoopRequest> requests);
  /// The same, with `make` for nests that are not in memory: one call with each of them once, in
  /// the order of the requests; no call if there are none. Only the results of `make` are kept in
  /// memory, so processes whose makers return the same have the same nests in memory.
  /// @throws what `make` throws; those loops are tried again by the next call
  std::vector<Outcome> get(std::span<const LoopRequest> requests, const Maker& make);

  /// The same without waiting: code that is not in memory is made in the background. To be called
  /// again, or `get`, when `making` is false.
  std::vector<Outcome> get_ready(std::span<const LoopRequest> requests);
  /// Whether code that `get_ready` requested is still being made.
  bool making() const;

  /// The code of a nest if it is in memory. Null also while it is being made, and if it was
  /// rejected. Local; cheap.
  const CompiledLoop* in_memory(const LoopNest& nest) const;

  /// What the sources of kernels prove about the arguments of their calls: from memory, embedded in
  /// the program, from disk, or from the compiler. Local, deterministic; waits for the compiler
  /// where nothing else knows. Errors are not reported: a source that does not compile, or that no
  /// compiler can read here, proves nothing. For targets without such a compiler, ask the Jit of
  /// the CPU.
  /// @param requests  each with one call and its origin
  /// @return          one per request, in their order
  std::vector<KernelFacts> facts(std::span<const LoopRequest> requests);

  /// How the kernels of a request violate the access modes of their loop, by the compiler for this
  /// target. As for `facts`, errors are not reported, and without a compiler nothing is found.
  std::vector<AccessFinding> access_findings(const LoopRequest& request);

  /// The C++ that is first compiled for a nest, for display. Loads the plug-in, not the compiler.
  /// @throws Error as `target`
  std::string compiled_source(const LoopNest& nest);

  /// Equal in processes that can run each other's code: a hash of the machine, the compiler, the
  /// library's version and the options. Loads the plug-in, not the compiler.
  /// @throws Error plugin_failure, bad_option, not_compiled
  core::Digest target();

  /// A Maker: from disk, otherwise by the compiler.
  Production produce(std::span<const LoopRequest> requests);

  /// A Maker that needs neither disk nor compiler.
  /// @param code  the bytes that `produce` of the same requests returned in a process of the same
  ///              target. A loop without usable code in it fails with an internal error.
  std::vector<Built> adopt(std::span<const LoopRequest> requests, std::span<const std::byte> code);

  op_jit_statistics statistics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace op2::jit
