// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>
#include <jit/backend.hpp>

namespace op2::jit {

Plugin load_plugin(const std::string&, const std::string&) {
  core::fail(ErrorCode::not_compiled,
             "this build of libop2 has no run-time compiler; configure it with -DOP2_WITH_LLVM=ON");
}

}  // namespace op2::jit
