// SPDX-License-Identifier: BSD-3-Clause
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <jit/cache_entry.hpp>

namespace op2::jit {

inline constexpr std::uint32_t cache_format_version = 8;

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

}  // namespace op2::jit
