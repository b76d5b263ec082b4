// SPDX-License-Identifier: BSD-3-Clause
// A request for the code of a nest, and the loops that the nest comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <core/hash.hpp>
#include <jit/loop_nest.hpp>
#include <jit/remote/compile_limit.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// A declared constant for generated code. The value is read through `address` whenever the code
/// runs, so it may change; the address must stay valid until the Jit is destroyed.
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

/// The loop that a kernel call of a nest comes from: the subject of errors and warnings.
struct LoopOrigin {
  std::string loop;
  std::string call_site;       ///< "airfoil.cpp:212"
  op_kernel kernel = nullptr;  ///< for locations of errors; not null; lives until code is made
  bool compare_access = true;  ///< false: access modes were checked when the program was built, and
                               ///< OP2_CHECK does not request it
  std::vector<std::int32_t>
      optional{};  ///< arguments that may be off in other calls, as in the call
};

struct LoopRequest {
  LoopNest nest;                    ///< of calls made by `call_of`
  std::vector<LoopOrigin> origins;  ///< of each call
};

/// "adt_calc", or "adt_calc+res_calc" for loops that were fused.
std::string loops_of(const LoopRequest& request);

/// "loop 'adt_calc' (airfoil.cpp:212)"; of fused loops, the call site of the first.
std::string where_is(const LoopRequest& request);

/// A kernel call without arguments: finds the declared constants that the source names, and reads
/// the files that it includes. Local. Cost: one pass over the source and these files.
/// @param limit  for reading the files
/// @throws Error as read_includes
KernelCall call_of(const op_kernel_core& kernel, std::span<const Constant> declared,
                   const CompileLimit& limit = {});

/// Equal for equal nests: hashes sources, included files, arguments and constants.
core::Digest fingerprint_of(const LoopNest& nest);

}  // namespace op2::jit
