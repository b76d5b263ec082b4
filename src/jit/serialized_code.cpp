// SPDX-License-Identifier: BSD-3-Clause
#include <jit/serialized_code.hpp>

#include <utility>

#include <core/error.hpp>
#include <jit/byte_stream.hpp>
#include <jit/cache_format.hpp>
#include <jit/loop_job.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

[[noreturn]] void refuse(const LoopRequest& request, const std::string& reason) {
  core::fail(
      ErrorCode::internal,
      "the code that another process made cannot be used: kernel '{}' of {}, {}; please report it",
      name_of(request.nest), where_is(request), reason);
}

}  // namespace

std::vector<std::byte> serialize(std::span<const Product> products) {
  Writer out;
  for (const Product& product : products)
    out.block(product.built.error ? std::vector<std::byte>{}
                                  : serialise(product.built.code->key, product.entry));
  return std::move(out.bytes());
}

std::vector<std::span<const std::byte>> blocks_of(std::span<const std::byte> bytes,
                                                  std::size_t count) {
  Reader in(bytes);
  std::vector<std::span<const std::byte>> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(in.block());
  return blocks;
}

std::unique_ptr<const CompiledLoop> deserialize(const LoopRequest& request,
                                                std::span<const std::byte> block, Target& target,
                                                std::span<const Constant> declared) {
  const ParsedEntry parsed = parse_entry(block);
  if (parsed.state != EntryState::good) refuse(request, parsed.reason);
  LoopRequest named = request;
  use_constants(named.nest, parsed.entry.constants, declared);
  const LoopJob job = prepare(named, target, declared);
  if (parsed.key != job.key) refuse(request, "it is of another loop, machine or library");
  LoadedLoop loaded = load_loop(target, job, parsed.entry);
  if (loaded.loop == nullptr) fail_to_load(job, loaded);
  loaded.loop->received = true;
  return std::move(loaded.loop);
}

}  // namespace op2::jit
