// SPDX-License-Identifier: BSD-3-Clause
#include <api/jit_options.hpp>

#include <string_view>

#include <jit/shared_caches.hpp>
#include <sched/shapes.hpp>

namespace op2::api {

jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            core::Trace& trace) {
  const std::string_view sanitizers = OP2_SANITIZERS;
  jit::JitOptions j;
  j.plugin_dir = options.plugin_dir;
  j.cpu = options.jit_cpu;
  j.limit = {options.jit_seconds, options.jit_memory_bytes};
  j.cache.mode = options.cache;
  j.cache.directory = options.cache_dir;
  j.cache.shared = options.shared_caches;
  j.cache.shared_list = jit::list_of_shared_folders();
  j.cache.max_bytes = options.cache_max_bytes;
  j.sanitizers.address = sanitizers.find("address") != std::string_view::npos;
  j.sanitizers.undefined = sanitizers.find("undefined") != std::string_view::npos;
  j.sanitizers.thread = sanitizers.find("thread") != std::string_view::npos;
  j.simd = options.simd;
  j.vector_math = options.vector_math;
  j.check_access = options.check_access;
  j.gdb_symbols = options.gdb_symbols;
  j.perf_map = options.perf_map;
  j.increments = options.gpu_increments;
  j.contract = options.contracts();
  j.reproducible = options.reproducible;
  j.trace = &trace;
  j.constants = [&mesh] { return sched::constants_of(mesh); };
  return j;
}

}  // namespace op2::api
