// SPDX-License-Identifier: BSD-3-Clause
#include "race_detector.hpp"

#include <algorithm>

namespace op2::test::gpu {

std::uint64_t& Clock::at(std::size_t participant) {
  if (participant >= ticks_.size()) ticks_.resize(participant + 1);
  return ticks_[participant];
}

void Clock::join(const Clock& other) {
  for (std::size_t k = 0; k < other.ticks_.size(); ++k) at(k) = std::max(at(k), other.ticks_[k]);
}

bool Clock::covers(const Clock& other) const {
  for (std::size_t k = 0; k < other.ticks_.size(); ++k)
    if (of(k) < other.ticks_[k]) return false;
  return true;
}

std::size_t RaceDetector::add_stream() {
  clocks_.emplace_back();
  return clocks_.size() - 1;
}

void RaceDetector::begin(std::size_t participant) {
  clocks_[participant].advance(participant);
}

void RaceDetector::order_after(std::size_t participant, const Clock& clock) {
  clocks_[participant].join(clock);
}

void RaceDetector::host_waits_for_all() {
  for (const Clock& clock : clocks_) clocks_[host].join(clock);
}

std::string RaceDetector::note(std::size_t participant, const std::string& work, const Bytes& bytes,
                               bool writes) {
  auto& uses = uses_[bytes.allocation];
  std::erase_if(uses, [&](const Use& use) { return is_before(use, host); });
  std::erase_if(uses, [&](const Use& use) {  // who comes after `work` comes after this one too
    return is_before(use, participant) && (writes || !use.writes) && bytes.begin <= use.begin &&
           use.end <= bytes.end;
  });
  const auto rival = std::ranges::find_if(uses, [&](const Use& use) {
    return use.begin < bytes.end && bytes.begin < use.end && (writes || use.writes) &&
           !is_before(use, participant);
  });
  std::string name = rival == uses.end() ? std::string() : rival->work;
  uses.push_back(
      {participant, clocks_[participant].of(participant), bytes.begin, bytes.end, writes, work});
  return name;
}

}  // namespace op2::test::gpu
