// SPDX-License-Identifier: BSD-3-Clause
#include <sched/plan_key.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace op2::sched {
namespace {

bool same_record(const core::LoopRecord& a, const core::LoopRecord& b) {
  return a.kernel == b.kernel && a.name == b.name && a.set == b.set && a.arg_count == b.arg_count &&
         a.target == b.target && a.traps == b.traps;
}

/// As one block of memory: they have no padding (core/loop_record.hpp).
bool are_equal(std::span<const core::LoopArg> a, std::span<const core::LoopArg> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

PlanKey sequence_key(const core::Queue& queue) {
  PlanKey key;
  key.records.assign(queue.records().begin(), queue.records().end());
  key.args.assign(queue.args().begin(), queue.args().end());
  return key;
}

PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid) {
  PlanKey key = sequence_key(queue);
  for (const core::LoopArg& arg : key.args)
    if (arg.is_active_dat()) key.dats.push_back(arg.dat);
  std::sort(key.dats.begin(), key.dats.end());
  key.dats.erase(std::unique(key.dats.begin(), key.dats.end()), key.dats.end());
  for (const core::Dat* dat : key.dats) key.valid.push_back(valid[dat->index]);
  return key;
}

bool is_sequence_of(const PlanKey& key, const core::Queue& queue) {
  return std::ranges::equal(key.records, queue.records(), same_record) &&
         are_equal(key.args, queue.args());
}

void note_deeper(PlanKey& key, const std::function<bool(const core::Dat&)>& exchanged) {
  key.may_be_deeper.assign(key.dats.size(), 0);
  for (std::size_t k = 0; k < key.dats.size(); ++k) {
    const auto changes = [&](const core::LoopArg& arg) {
      return arg.modifies_dat() && arg.dat == key.dats[k];
    };
    if (std::ranges::none_of(key.args, changes) && !exchanged(*key.dats[k]))
      key.may_be_deeper[k] = 1;
  }
}

bool fits(const PlanKey& key, const core::Queue& queue, const std::vector<core::Level>& valid) {
  if (!is_sequence_of(key, queue)) return false;
  for (std::size_t k = 0; k < key.dats.size(); ++k) {
    const core::Level now = valid[key.dats[k]->index];
    const bool is_deeper = !key.may_be_deeper.empty() && key.may_be_deeper[k] != 0;
    if (is_deeper ? now < key.valid[k] : now != key.valid[k]) return false;
  }
  return true;
}

std::size_t hash_of(const core::Queue& queue) {
  std::size_t hash = queue.size();
  const auto mix = [&hash](const void* pointer) {
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(pointer)) * 0x9e3779b97f4a7c15ULL;
  };
  for (const core::LoopRecord& r : queue.records()) {
    mix(r.kernel);
    mix(r.name);
    mix(r.target);
    for (const core::LoopArg& arg : queue.args_of(r)) mix(arg.dat);
  }
  return hash;
}

}  // namespace op2::sched
