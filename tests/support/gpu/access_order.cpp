// SPDX-License-Identifier: BSD-3-Clause
#include "access_order.hpp"

#include <algorithm>
#include <ranges>

namespace op2::test::gpu {
namespace {

/// What is longer ago counts as ordered.
constexpr std::size_t longest_past = 200;

}  // namespace

void AccessOrder::begin(const std::string& work, const Ticket& ticket,
                        std::span<const std::uint64_t> rivals) {
  moment_.kernel = ++moment_.now;
  moment_.rivals.clear();
  std::uint64_t end = moment_.kernel;
  for (const Work& other : past_ | std::views::reverse) {
    const bool is_rival = other.ticket.is_same(ticket)
                              ? std::ranges::find(rivals, other.begin) != rivals.end()
                              : !ticket.is_after(other.ticket);
    if (is_rival) moment_.rivals.push_back({other.begin, end});
    end = other.begin;
  }
  moment_.oldest_rival = moment_.rivals.empty() ? ~std::uint64_t{0} : moment_.rivals.back().begin;
  past_.push_back({work, ticket, moment_.kernel});
  if (past_.size() > longest_past) past_.pop_front();
}

std::string AccessOrder::work_at(std::uint64_t time) const {
  for (const Work& work : past_ | std::views::reverse)
    if (work.begin <= time) return work.name;
  return {};
}

}  // namespace op2::test::gpu
