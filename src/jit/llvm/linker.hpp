// SPDX-License-Identifier: BSD-3-Clause
// Linking of objects into the process; needs LLVM but not Clang.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <jit/backend.hpp>

namespace op2::jit {

class Linker {
 public:
  virtual ~Linker() = default;
  /// As Backend::link.
  virtual LinkResult link(const std::vector<std::byte>& object, const std::string& symbol,
                          const std::vector<LinkSymbol>& symbols) = 0;
};

/// Null if the process cannot map executable memory; `message` says why.
std::unique_ptr<Linker> make_linker(std::string& message);

}  // namespace op2::jit
