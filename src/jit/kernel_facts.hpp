// SPDX-License-Identifier: BSD-3-Clause
// What the source of a kernel proves about the arguments of a call, so that a loop may be treated
// better than its access modes allow. Plain data; made without running anything.
#pragma once

#include <string>
#include <vector>

namespace op2::jit {

/// One argument of a call. False: not proven, so the access mode alone counts.
struct ArgumentFacts {
  /// OP_WRITE to a dat: on every path the kernel writes every component of each row that it gets
  /// (of a vector argument: of all rows), and reads none of them before it has written it.
  bool writes_all = false;
  /// OP_RW of a dat: every change is `v += e` or means the same; the values before are used for
  /// nothing else, neither in `e` nor in a condition, and nothing is read after the addition. So
  /// OP_INC is right too, if every argument of the loop with this dat is OP_INC or only adds:
  /// another one could read, under another name, what is added here.
  bool only_adds = false;
  /// If the access mode asks for a fact that is not proven: what stands against it, after "kernel
  /// 'flux' ", with its place: "writes it only on some paths (flux.hpp:12:3)". Empty if there is no
  /// source to look at.
  std::string why{};
  bool operator==(const ArgumentFacts&) const = default;
};

/// In the order of KernelCall::args: every column of a vector argument has the facts of all of it.
using KernelFacts = std::vector<ArgumentFacts>;

}  // namespace op2::jit
