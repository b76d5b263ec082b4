// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/dense_places.hpp>

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>

#include <comm/messages/records.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {
namespace {

constexpr std::size_t samples_of_a_rank = 32;

struct Item {
  std::int64_t key;
  GlobalId id;
  auto operator<=>(const Item&) const = default;
};

/// The first item of each rank but the first one.
std::vector<Item> first_items(Communicator& ranks, const std::vector<Item>& sorted) {
  std::array<Item, samples_of_a_rank> mine;
  mine.fill({last_key, -1});
  for (std::size_t k = 0; k < mine.size() && !sorted.empty(); ++k)
    mine[k] = sorted[k * sorted.size() / mine.size()];
  std::vector<Item> samples;
  for (const auto& some : gather_records(ranks, mine))
    std::ranges::copy_if(some, std::back_inserter(samples),
                         [](const Item& item) { return item.id >= 0; });
  std::ranges::sort(samples);
  std::vector<Item> first;
  const auto count = static_cast<std::size_t>(ranks.size());
  for (std::size_t rank = 1; rank < count && !samples.empty(); ++rank)
    first.push_back(samples[rank * samples.size() / count]);
  return first;
}

}  // namespace

std::vector<std::int32_t> dense_places(Communicator& ranks, const Blocks& set,
                                       std::span<const std::int64_t> keys) {
  const GlobalId begin = set.begin[static_cast<std::size_t>(ranks.rank())];
  std::vector<Item> items;
  items.reserve(keys.size());
  for (const std::int64_t key : keys) items.push_back({key, begin + std::ssize(items)});
  std::ranges::sort(items);
  std::vector<std::vector<Item>> leaving(static_cast<std::size_t>(ranks.size()));
  const std::vector<Item> first = first_items(ranks, items);
  for (const Item& item : items)
    leaving[static_cast<std::size_t>(std::ranges::upper_bound(first, item) - first.begin())]
        .push_back(item);
  items.clear();
  for (const Message& message : ranks.exchange(messages_of(leaving)))
    for (const Item& item : from_bytes<Item>(message.bytes)) items.push_back(item);
  std::ranges::sort(items);
  auto place = static_cast<std::int32_t>(ranks.partial_sum(std::ssize(items)).before);
  Rendezvous<std::int32_t> letters(ranks, set);
  for (const Item& item : items) letters.send(item.id, place++);
  return letters.deliver(ranks).values;
}

}  // namespace op2::comm
