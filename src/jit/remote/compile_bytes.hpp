// SPDX-License-Identifier: BSD-3-Clause
// What the program and the processes that compile for it tell each other, as bytes. Both are of one
// build, which the greeting makes sure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/byte_stream.hpp>
#include <jit/remote/compile_limit.hpp>

namespace op2::jit {

/// The program's first message.
struct Greeting {
  std::string version;  ///< `plugin_version`
  std::string plugin;   ///< file to load
  std::string cpu;      ///< as for BackendFactory
  CompileLimit limit;
  bool operator==(const Greeting&) const = default;
};

std::vector<std::byte> to_bytes(const Greeting& greeting);
std::vector<std::byte> to_bytes(const TargetInfo& target);
std::vector<std::byte> to_bytes(const CompileRequest& request);
std::vector<std::byte> to_bytes(const CompileResult& result);
std::vector<std::byte> to_bytes(const std::string& text);

/// For each of these types. @return nothing if the bytes are not those of such a value
template <class Value>
std::optional<Value> from_bytes(Bytes bytes);

}  // namespace op2::jit
