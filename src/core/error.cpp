// SPDX-License-Identifier: BSD-3-Clause
#include <core/error.hpp>

namespace op2 {

Error::Error(ErrorCode code, const std::string& message)
    : std::runtime_error(fmt::format("OP2-E{} {}", static_cast<int>(code), message)), code_(code) {}

}  // namespace op2
