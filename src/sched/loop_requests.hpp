// SPDX-License-Identifier: BSD-3-Clause
// From steps of a plan to what the code generator is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <core/mesh.hpp>
#include <core/queue.hpp>
#include <jit/jit.hpp>
#include <jit/loop_nest.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// "flow.cpp:212", the place of the call in the program.
std::string site_of(const core::LoopRecord& loop);

/// "loop 'res_calc' (flow.cpp:212)". Also the topic of what is said once of a loop: loops of one
/// name may be different ones.
std::string named_with_site(const core::LoopRecord& loop);

/// Numbers dats and maps within the loop, in order of first appearance.
std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args);

/// Positions (in the call) of the arguments that may be off in other calls.
std::vector<std::int32_t> optional_args(std::span<const core::LoopArg> args);

/// All declared constants and all variables that sources of function-pointer kernels name.
std::vector<jit::Constant> constants_of(const core::Mesh& mesh);

/// A kernel as a nest calls it, without arguments. Cost and errors: as jit::call_of.
jit::KernelCall call_of(const core::Mesh& mesh, op_kernel kernel,
                        const jit::CompileLimit& limit = {});

/// Makes the requests of one plan; each source is scanned once. Local.
class LoopRequests {
 public:
  /// @param mesh          must outlive it
  /// @param check_access  compare access modes also if they were checked when the program was built
  /// @param limit         for reading included files
  LoopRequests(const core::Mesh& mesh, bool check_access, const jit::CompileLimit& limit = {})
      : mesh_(mesh), check_access_(check_access), limit_(limit) {}

  /// Arguments have the step's access, calls the access that the program has declared.
  /// @throws Error as jit::call_of
  jit::LoopRequest request_for(const core::Queue& queue, const Step& step);

  const core::Mesh& mesh() const { return mesh_; }

 private:
  const core::Mesh& mesh_;
  const bool check_access_;
  const jit::CompileLimit limit_;
  std::map<op_kernel, jit::KernelCall> calls_;  ///< kernels whose sources were scanned
};

}  // namespace op2::sched
