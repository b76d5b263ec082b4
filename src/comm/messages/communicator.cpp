// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/communicator.hpp>

#include <chrono>

#include <fmt/format.h>

#include <comm/messages/collective_mismatch.hpp>
#include <comm/messages/reduction_blocks.hpp>
#include <core/clock.hpp>

namespace op2::comm {
namespace {

/// FNV-1a, seeded with the fingerprint of the signature; ranks compare the results.
std::uint64_t fingerprint_of(std::uint64_t begin, std::string_view text) {
  std::uint64_t hash = begin ^ 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string description_of(const WordReduction& words, std::string_view what) {
  if (words.sums.empty() && words.minima.empty() && words.maxima.empty()) return std::string(what);
  std::string text;
  text.reserve(what.size() + 64);
  text += what;
  const auto add = [&](const char* before, std::size_t count, const char* name) {
    text += before + std::to_string(count) + name;
  };
  add(": ", words.sums.size(), " sums");
  add(", ", words.minima.size(), " minima");
  add(", ", words.maxima.size(), " maxima");
  return text;
}

}  // namespace

std::string Communicator::log_prefix() const {
  return size_ == 1 ? "" : fmt::format("[rank {}/{}] ", rank_, size_);
}

void Communicator::set_signature(CollectiveSignature signature) {
  declared_in_signature_ = declared_;
  signature.fingerprint ^= declared_fingerprint_;
  if (declared_ != nullptr)
    signature.describe = [call = std::move(signature.describe), declared = declared_] {
      return (call ? call() : std::string()) + *declared;
    };
  put_signature(std::move(signature));
}

void Communicator::declare(std::string_view what) {
  if (size_ == 1) return;
  constexpr std::size_t most = 100'000;  // bytes: temporary dats may be declared for ever
  const std::string line =
      fmt::format("\n{}{} (number {})", declared_prefix, what, ++declarations_);
  declared_fingerprint_ = fingerprint_of(declared_fingerprint_, line);
  const bool is_short = declared_ != nullptr && declared_->size() < most;
  declared_ = std::make_shared<const std::string>(is_short ? *declared_ + line : line);
}

void Communicator::reduce(WordReduction& words, std::string_view description) {
  if (size_ == 1) return;
  const std::vector<std::int64_t> attached = std::exchange(attached_, {});
  const std::size_t own = words.maxima.size();
  words.maxima.insert(words.maxima.end(), attached.begin(), attached.end());
  const std::string operation = description_of(words, description);
  auto blocks = packed(words, fingerprint_of(fingerprint(), operation));
  fold(blocks, operation);
  unpack(blocks, words);
  if (declared_ == declared_in_signature_) declared_ = nullptr;  // all ranks have the same
  if (attached.empty()) return;
  const auto begin = words.maxima.begin() + static_cast<std::ptrdiff_t>(own);
  carried_.emplace(begin, words.maxima.end());
  words.maxima.resize(own);
}

PartialSum Communicator::partial_sum(std::int64_t mine) {
  if (size_ == 1) return {0, mine};
  WordReduction total{{mine}, {}, {}};
  reduce(total, "summing over the ranks");
  return {sum_before(mine), total.sums.front()};
}

void Communicator::barrier() {
  WordReduction nothing;
  reduce(nothing, "waiting for all ranks");
}

bool clock_goes_on(const Communicator& ranks) {
  constexpr std::chrono::microseconds more_than_a_tick{5};
  const double before = ranks.seconds();
  const auto begin = core::Clock::now();
  while (core::Clock::now() - begin < more_than_a_tick) {
  }
  return ranks.seconds() > before;
}

void Communicator::align_channels() {
  std::uint64_t* const opened = opened_channels();
  WordReduction most{{}, {}, {opened != nullptr ? static_cast<std::int64_t>(*opened) : 0}};
  reduce(most, "counting channels");
  if (opened != nullptr) *opened = static_cast<std::uint64_t>(most.maxima.front());
}

}  // namespace op2::comm
