// SPDX-License-Identifier: BSD-3-Clause
// From loop nests to functions that run them: memory, then disk, then compiler.
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
#include <core/options.hpp>
#include <core/trace.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <jit/loop_nest.hpp>
#include <op2/error.hpp>
#include <op2/kernel.hpp>
#include <op2/runtime.hpp>

namespace op2::jit {

class Backend;
class LinkedCode;

/// A declared constant as generated code sees it. The value is read through `address` whenever the
/// code runs, so it may change; the address must hold until the Jit is destroyed.
struct Constant {
  std::string name;
  Type type = Type::f64;
  std::int32_t dim = 1;
  void* address = nullptr;         ///< shape [dim]
  std::string declaration = "";    ///< as in ConstantShape
  const void* variable = nullptr;  ///< as in ConstantShape
};

inline ConstantShape shape_of(const Constant& constant) {
  return {constant.name, constant.type, constant.dim, constant.declaration, constant.variable};
}

/// The loop that a kernel call of a nest comes from: what errors and warnings are told of.
struct LoopOrigin {
  std::string loop;
  std::string call_site;       ///< "airfoil.cpp:212"
  op_kernel kernel = nullptr;  ///< for placing errors; not null; must live until code is made
  bool compare_access = true;  ///< false: the kernel's use of its arguments was compared with their
                               ///< access when the program was built, and OP2_CHECK does not ask
  std::vector<std::int32_t>
      optional{};  ///< arguments that may be off in other calls, as in the call
};

struct LoopRequest {
  LoopNest nest;                    ///< of calls made by `call_of`
  std::vector<LoopOrigin> origins;  ///< of each call
};

/// "adt_calc", or "adt_calc+res_calc" for loops that were fused.
std::string loops_of(const LoopRequest& request);

/// "loop 'adt_calc' (airfoil.cpp:212)"; of fused loops, the place of the first.
std::string where_is(const LoopRequest& request);

/// Code of one nest, linked. Lives as long as the Jit that gave it.
struct CompiledLoop {
  core::RangeFunction range = nullptr;
  Key key{};
  std::string symbol;     ///< name of `range` in its object
  std::string signature;  ///< parameters of the kernels as written
  std::string lanes;      ///< "8 wide", or "scalar: " and the reason
  bool from_disk = false;
  bool received = false;               ///< made by another process
  double compile_seconds = 0;          ///< 0 if from_disk or received
  std::shared_ptr<LinkedCode> linked;  ///< what `range` points into

  bool is_wide() const { return !lanes.starts_with("scalar"); }
};

/// What became of a request that was not in memory: either code or an error.
struct Built {
  std::unique_ptr<const CompiledLoop> code;
  std::optional<Error> error;
};

/// Makes code of distinct nests; yields one Built per request, in their order.
using Maker = std::function<std::vector<Built>(std::span<const LoopRequest>)>;

/// What became of loops, and their code as bytes.
struct Production {
  std::vector<Built> built;
  std::vector<std::byte> parcels;  ///< for `Jit::adopt` in another process
};

/// Either code or the reason why there is none; neither while `get_ready` has it made.
struct Outcome {
  const CompiledLoop* code = nullptr;
  std::optional<Error> error;
};

struct JitOptions {
  std::string plugin_dir;  ///< instead of the library's own folder, if not empty
  std::string cpu;         ///< LLVM's name of the CPU; empty: the host
  int threads = 0;         ///< compilations at once; 0: as many as the hardware runs, at least 2
  CacheOptions cache;
  Sanitizers sanitizers;
  core::SimdMode simd = core::SimdMode::where_it_pays;
  bool vector_math = false;      ///< OP2_VECTOR_MATH
  bool check_access = false;     ///< kernels that break an access mode are errors
  core::Trace* trace = nullptr;  ///< gets a span of lane "compile" per compilation
  /// The constants declared so far; called while `get` runs, on its thread.
  std::function<std::vector<Constant>()> constants;
};

/// A kernel as a nest calls it, without arguments: finds which of the declared constants its source
/// names and reads the files that it includes. Local. Cost: one pass over the source, and the
/// reading of those files.
KernelCall call_of(const op_kernel_core& kernel, std::span<const Constant> declared);

/// Equal on all ranks where nests are: sources, included files, arguments and constants.
core::Digest fingerprint_of(const LoopNest& nest);

/// Local; thread safe. Nothing is loaded or read before it is needed or `load_ahead` is called.
///
/// Processes that work together share the work by a Maker of their own: per `target` one of them
/// produces, and the others adopt.
class Jit {
 public:
  /// Compiles and links with the plug-in.
  Jit(JitOptions options, core::Log& log);
  /// The same with another compiler; `load` may throw Error.
  Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load);
  ~Jit();

  /// Loads the plug-in on another thread, while the program declares its mesh. What fails is tried
  /// again, and reported, by `get`.
  void load_ahead();

  /// Code for all loops of a chain, in the order of the requests. What is neither in memory nor on
  /// disk is compiled now, in parallel; equal nests are compiled once, in this process and among
  /// the processes that share the cache. Does not throw for one loop's sake: a failure is the
  /// loop's Outcome. A rejected text (E101 to E105, E107) stays rejected; after any other error the
  /// next call with this nest tries again.
  std::vector<Outcome> get(std::span<const LoopRequest> requests);
  /// The same with `make` for what is not in memory: one call with each such nest once, in the
  /// order of the requests; no call if all is there. Memory gets what `make` yields and nothing
  /// else, so processes whose makers yield alike have the same nests in memory.
  /// @throws what `make` throws; those loops are tried again by the next call
  std::vector<Outcome> get(std::span<const LoopRequest> requests, const Maker& make);

  /// The same without waiting: what is not in memory is made by a thread of its own. To be asked
  /// for again, by `get` or `get_ready`, when `making` says that it is done.
  std::vector<Outcome> get_ready(std::span<const LoopRequest> requests);
  /// Whether code is being made that `get_ready` was asked for.
  bool making() const;

  /// The C++ that is compiled for a nest first, for display. Loads the plug-in, not the compiler.
  /// @throws Error as `target`
  std::string compiled_source(const LoopNest& nest);

  /// Equal in processes that can run each other's code: a hash of the machine that code is made
  /// for, the compiler, the library's version and the options. Loads the plug-in, not the compiler.
  /// @throws Error plugin_failure, bad_option, not_compiled
  core::Digest target();

  /// A Maker: from disk, else by the compiler.
  Production produce(std::span<const LoopRequest> requests);

  /// A Maker that needs neither disk nor compiler.
  /// @param parcels  what `produce` of the same requests yielded in a process of the same target. A
  ///                 loop for which there is no usable code in it fails with an internal error.
  std::vector<Built> adopt(std::span<const LoopRequest> requests,
                           std::span<const std::byte> parcels);

  op_jit_statistics statistics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace op2::jit
