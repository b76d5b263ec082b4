// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/current_constants.hpp>

#include <cstring>

namespace op2::sched {

void CurrentConstants::update(const jit::CudaLoop& code) {
  for (const jit::CudaConstant& constant : code.constants) {
    std::vector<std::byte>& uploaded = uploaded_[constant.on_device];
    const auto* now = static_cast<const std::byte*>(constant.on_host);
    if (uploaded.size() == constant.bytes && std::memcmp(uploaded.data(), now, constant.bytes) == 0)
      continue;
    uploaded.clear();
    space_.main_stream().upload_and_wait(constant.on_device, now, constant.bytes);
    uploaded.assign(now, now + constant.bytes);
  }
}

}  // namespace op2::sched
