// SPDX-License-Identifier: BSD-3-Clause
#include <jit/parcel.hpp>

#include <utility>

#include <core/error.hpp>
#include <jit/byte_stream.hpp>
#include <jit/cache_format.hpp>
#include <jit/loop_job.hpp>
#include <jit/loop_key.hpp>

namespace op2::jit {
namespace {

[[noreturn]] void refuse(const LoopRequest& request, const std::string& reason) {
  core::fail(ErrorCode::internal,
             "{}: the code that another process made of kernel '{}' cannot be used: {}",
             where_is(request), name_of(request.nest), reason);
}

}  // namespace

std::vector<std::byte> pack(std::span<const Product> products) {
  Writer out;
  for (const Product& product : products)
    out.block(product.built.error ? std::vector<std::byte>{}
                                  : serialise(product.built.code->key, product.entry));
  return std::move(out.bytes());
}

std::vector<std::span<const std::byte>> unpack(std::span<const std::byte> bytes,
                                               std::size_t count) {
  Reader in(bytes);
  std::vector<std::span<const std::byte>> parcels;
  for (std::size_t i = 0; i < count; ++i) parcels.push_back(in.block());
  return parcels;
}

std::unique_ptr<const CompiledLoop> adopt(const LoopRequest& request,
                                          std::span<const std::byte> parcel, Backend& backend,
                                          const JitOptions& options,
                                          std::span<const Constant> declared) {
  const ParsedEntry parsed = parse_entry(parcel);
  if (parsed.state != EntryState::good) refuse(request, parsed.reason);
  LoopRequest named = request;
  use_constants(named.nest, parsed.entry.constants, declared);
  const LoopJob job = prepare(named, backend.target(), options, declared);
  if (parsed.key != job.key) refuse(request, "it is of another loop, machine or library");
  LinkedLoop linked = link_loop(backend, job, parsed.entry);
  if (linked.loop == nullptr) fail_to_link(job, linked.message);
  linked.loop->received = true;
  return std::move(linked.loop);
}

}  // namespace op2::jit
