// SPDX-License-Identifier: BSD-3-Clause
// What the cache stores for one key: the object, and how it was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <core/loop_abi.hpp>
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
  std::vector<ArgumentFacts> facts{};   ///< of the kernel's parameters; such an entry has no object
  std::string source;                   ///< emitted C++
  std::string ir;
  std::string assembly;
  std::vector<std::byte> object;
  double compile_seconds = 0;
  std::int64_t created = 0;  ///< seconds since 1970
};

// From the fields of a key to the key, and to its names for people.

/// One field of KeyFields with the name that tools print.
struct KeyField {
  const char* name;
  std::string KeyFields::* value;
};

/// All fields, in the order in which they are hashed and stored.
inline constexpr std::array<KeyField, 12> key_fields{{
    {"target", &KeyFields::target},
    {"generator", &KeyFields::generator},
    {"compiler", &KeyFields::compiler},
    {"triple", &KeyFields::triple},
    {"cpu", &KeyFields::cpu},
    {"features", &KeyFields::features},
    {"options", &KeyFields::options},
    {"kernel", &KeyFields::kernel},
    {"source", &KeyFields::source},
    {"arguments", &KeyFields::arguments},
    {"constants", &KeyFields::constants},
    {"includes", &KeyFields::includes},
}};

Key make_key(const KeyFields& fields);

/// 64 hexadecimal digits.
std::string name_of(const Key& key);

/// The first 12 digits: what people read and type.
std::string short_name_of(const Key& key);

// The file of one cache entry, as bytes.
//
//     offset size
//          0    8  magic "OP2JIT\r\n"
//          8    4  version of the format
//         12    4  length of the header
//         16    8  length of the payload
//         24   32  key
//         56   32  BLAKE2b-256 of all other bytes of the file
//         88       header: the fields of the key, symbol, signature, constants, loop, simd,
//                  flops, findings, facts, seconds, created
//                  payload: source, ir, assembly, object
//
// Integers are little endian; strings follow their length in 8 bytes. The layout of the first 88
// bytes is the same in every version, so that an entry of another version is not taken for damaged.

inline constexpr std::uint32_t cache_format_version = 9;

/// Bounds of the size of an entry's file, in bytes.
inline constexpr std::int64_t min_entry_bytes = 100;
inline constexpr std::int64_t max_entry_bytes = std::int64_t{256} << 20;

std::vector<std::byte> serialise(const Key& key, const CacheEntry& entry);

enum class EntryState { good, other_version, bad };

struct ParsedEntry {
  EntryState state = EntryState::bad;
  std::string reason;  ///< why it is not good
  Key key{};           ///< the stored one; equals make_key(entry.key) in a good entry
  CacheEntry entry;
};

/// Safe for arbitrary bytes: never reads outside of them, and needs no more memory than they do.
ParsedEntry parse_entry(std::span<const std::byte> bytes);

// What the kernels of a GPU's code need, as NVIDIA's assembler has reported it in comments behind
// the assembly of a cache entry.

/// Of one kernel that is launched.
struct KernelResources {
  std::string kernel;
  int registers = 0;    ///< of a thread
  int stack_bytes = 0;  ///< of a thread, in local memory
  int spill_store_bytes = 0,
      spill_load_bytes = 0;  ///< of a thread: registers moved to local memory
  int shared_bytes = 0;      ///< of a block
  bool operator==(const KernelResources&) const = default;
};

/// Empty for the assembly of a CPU.
std::vector<KernelResources> resources_in(std::string_view assembly);

}  // namespace op2::jit
