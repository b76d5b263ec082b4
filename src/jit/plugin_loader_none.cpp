// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>
#include <jit/plugin_loader.hpp>

namespace op2::jit {

std::unique_ptr<Backend> load_backend(const std::string&, const std::string&) {
  core::fail(ErrorCode::not_compiled,
             "this build of libop2 has no run-time compiler; configure it with -DOP2_WITH_LLVM=ON");
}

}  // namespace op2::jit
