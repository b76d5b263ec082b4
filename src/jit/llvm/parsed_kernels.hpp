// SPDX-License-Identifier: BSD-3-Clause
// Kernels that were parsed, so that one that several loops call is parsed once.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <jit/backend.hpp>
#include <jit/llvm/parse_unit.hpp>

namespace op2::jit {

/// Thread safe. Two threads that need a new kernel at the same time both parse it: waiting for a
/// thread that may crash could take for ever.
class ParsedKernels {
 public:
  /// All that decides what becomes of a unit.
  struct Key {
    CompileUnit unit;
    Sanitizers sanitizers;
    bool operator==(const Key&) const = default;
  };

  /// The unit in a context: what is known of it, or what `parse` makes there. Errors are not kept.
  ParsedUnit get(const Key& key, llvm::LLVMContext& context,
                 const std::function<ParsedUnit()>& parse);

 private:
  struct Kernel {
    Key key;
    UnitNotes notes;
    std::string bitcode;
  };
  static ParsedUnit copy_of(const Kernel& kernel, llvm::LLVMContext& context);
  /// The kernel that is kept, which may be that of another thread; null if there is none.
  /// @param parsed  is kept if none is; null: nothing to keep
  std::shared_ptr<const Kernel> find_or_keep(const Key& key, std::shared_ptr<const Kernel> parsed);

  std::mutex mutex_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace op2::jit
