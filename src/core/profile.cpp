// SPDX-License-Identifier: BSD-3-Clause
#include <core/profile.hpp>

#include <algorithm>

namespace op2::core {
namespace {

constexpr std::array<const char*, parts> names{"program", "start",   "declarations", "partition",
                                               "files",   "results", "loops",        "plans",
                                               "code",    "packing", "messages",     "reductions"};

}  // namespace

const char* name_of(Part part) {
  return names[static_cast<std::size_t>(part)];
}

Profile::Profile(Trace& trace, const Tools& tools)
    : trace_(trace), tools_(tools), begun_(start_.time_since_epoch().count()) {
  count(part_);
  count(Part::program);
}

std::array<PartTime, parts> Profile::part_times() {
  enter(part_);
  return times_;
}

/// Seconds until now in the parts of executing loops.
double Profile::executing() {
  double sum = 0;
  const auto all = part_times();
  for (auto k = static_cast<std::size_t>(Part::loops); k < parts; ++k) sum += all[k].seconds;
  return sum;
}

int Profile::region_named(const std::string& name) {
  const int parent = region();
  if (const auto found = known_.find({parent, name}); found != known_.end()) return found->second;
  if (regions_.size() == most_regions) return static_cast<int>(most_regions - 1);
  Region made;
  if (regions_.size() + 1 == most_regions) {
    made.name = made.path = "others";
  } else {
    const std::string& outer = regions_[static_cast<std::size_t>(parent)].path;
    made.name = name;
    made.path = outer.empty() ? name : outer + "/" + name;
    made.parent = parent;
    known_[{parent, name}] = static_cast<int>(regions_.size());
  }
  regions_.push_back(std::move(made));
  return static_cast<int>(regions_.size() - 1);
}

std::int64_t Profile::begin_region(const char* name) {
  open_.push_back({region_named(name), ++begun_, Clock::now(), executing()});
  Region& begun = regions_[static_cast<std::size_t>(region())];
  ++begun.calls;
  if (tools_.any()) tools_.begin_region(begun.name.c_str());
  return begun_;
}

bool Profile::end_region() {
  if (open_.empty()) return false;
  const Open ended = open_.back();
  open_.pop_back();
  Region& region = regions_[static_cast<std::size_t>(ended.region)];
  const auto now = Clock::now();
  region.seconds += seconds_between(ended.begin, now);
  region.executing += executing() - ended.executing;
  trace_.add("region", region.path, ended.begin, now);
  if (tools_.any()) tools_.end_region(region.name.c_str());
  return true;
}

void Profile::end_region(std::int64_t begun) {
  const auto is_it = [begun](const Open& open) { return open.begun == begun; };
  while (std::any_of(open_.begin(), open_.end(), is_it)) end_region();
}

std::vector<Region> Profile::regions() {
  std::vector<Region> all = regions_;
  const double now = executing();
  for (const Open& open : open_) {
    Region& region = all[static_cast<std::size_t>(open.region)];
    region.seconds += seconds_since(open.begin);
    region.executing += now - open.executing;
  }
  return all;
}

}  // namespace op2::core
