// SPDX-License-Identifier: BSD-3-Clause
// What the cache stores for one key: the object, and how it was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <core/loop_abi.hpp>
#include <jit/access_finding.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/simd.hpp>

namespace op2::jit {

/// The inputs of a key in readable form, so that op2-jitinspect can show them and a hit is verified
/// by comparison, not by a hash alone. The fields are hashed in this order.
struct KeyFields {
  std::string target;     ///< "cpu"
  std::string generator;  ///< version of the code generator and of the entry's format
  std::string compiler;   ///< TargetInfo::compiler
  std::string triple;
  std::string cpu;
  std::string features;
  std::string options;   ///< compile flags that affect code ("sanitize=address", ...)
  std::string kernel{};  ///< name of the kernel, or names: "adt_calc+res_calc"
  std::string source{};  ///< source of the kernel, or sources
  /// One line per argument, e.g. "dat double x4 inc dat=0 map=0 column 1 of 2"; of several kernels
  /// another line each, e.g. "kernel adt_calc: 0 read, 2 write".
  std::string arguments{};
  std::string constants{};  ///< one line per constant, e.g. "double gam[1]"
  std::string includes{};   ///< name, length and content of every included file
  bool operator==(const KeyFields&) const = default;
};

/// BLAKE2b-256 of the length-prefixed fields.
using Key = std::array<std::uint8_t, 32>;

/// A declared constant that a kernel call of a nest names.
struct ConstantUse {
  std::int32_t call = 0;
  std::string name;
  bool operator==(const ConstantUse&) const = default;
};

struct CacheEntry {
  KeyFields key;
  std::string symbol;                   ///< the entry in `object`
  std::string signature;                ///< checked signatures of the kernels
  std::vector<ConstantUse> constants;   ///< not those that are variables of the program
  std::string loop;                     ///< name of the loop that first asked for it
  SimdChoice simd;                      ///< SIMD width of the code
  double flops = core::unknown_flops;   ///< of an element
  std::vector<AccessFinding> findings;  ///< violated access modes
  std::vector<ParameterFacts> facts{};  ///< of the kernel's parameters; such an entry has no object
  std::string source;                   ///< emitted C++
  std::string ir;
  std::string assembly;
  std::vector<std::byte> object;
  double compile_seconds = 0;
  std::int64_t created = 0;  ///< seconds since 1970
};

}  // namespace op2::jit
