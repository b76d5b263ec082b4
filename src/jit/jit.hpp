// SPDX-License-Identifier: BSD-3-Clause
// From the shapes of loops to functions that run them: memory, then disk, then compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <core/log.hpp>
#include <core/loop_abi.hpp>
#include <core/trace.hpp>
#include <jit/cache_entry.hpp>
#include <jit/disk_cache.hpp>
#include <jit/loop_shape.hpp>
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
  void* address = nullptr;  ///< shape [dim]
};

struct LoopRequest {
  LoopShape shape;  ///< made by `shape_of`
  std::string loop;
  std::string call_site;       ///< "airfoil.cpp:212"
  op_kernel kernel = nullptr;  ///< for placing errors; not null; used during the call only
};

/// Code of one shape, linked. Lives as long as the Jit that gave it.
struct CompiledLoop {
  core::RangeFunction range = nullptr;
  Key key{};
  std::string symbol;     ///< name of `range` in its object
  std::string signature;  ///< parameters of the kernel as written
  bool from_disk = false;
  double compile_seconds = 0;          ///< 0 if from_disk
  std::shared_ptr<LinkedCode> linked;  ///< what `range` points into
};

/// Either code or the reason why there is none.
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
  core::Trace* trace = nullptr;  ///< gets a span of lane "compile" per compilation
  /// The constants declared so far; called while `get` runs, on its thread.
  std::function<std::vector<Constant>()> constants;
};

/// The shape of a loop: finds which of the declared constants the kernel's text names and reads the
/// files that it includes. Local. Cost: one pass over the text, and the reading of those files.
LoopShape shape_of(const op_kernel_core& kernel, std::vector<ArgShape> args,
                   std::span<const Constant> declared);

/// The C++ that is compiled for a shape, for display.
std::string source_of(const LoopShape& shape);

/// Local; thread safe. Nothing is loaded or read before the first `get` or `load_ahead`.
class Jit {
 public:
  /// Compiles and links with the plug-in.
  Jit(JitOptions options, core::Log& log);
  /// The same with another compiler; `load` may throw Error.
  Jit(JitOptions options, core::Log& log, std::function<std::shared_ptr<Backend>()> load);
  ~Jit();

  /// Loads the compiler and opens the cache on another thread, while the program declares its mesh.
  /// What fails is tried again, and reported, by `get`.
  void load_ahead();

  /// Code for all loops of a chain, in the order of the requests. What is neither in memory nor on
  /// disk is compiled now, in parallel; equal shapes are compiled once, in this process and among
  /// the processes that share the cache. Does not throw for one loop's sake: a failure is the
  /// loop's Outcome. A rejected text (E101 to E105) stays rejected; after any other error the next
  /// call with this shape tries again.
  std::vector<Outcome> get(std::span<const LoopRequest> requests);

  op_jit_statistics statistics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace op2::jit
