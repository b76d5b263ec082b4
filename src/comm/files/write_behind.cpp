// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/write_behind.hpp>

#include <utility>

namespace op2::comm {

void WriteBehind::wrote(std::int64_t offset, std::int64_t bytes) {
  if (!next_.empty() && next_.back().end == offset)
    next_.back().end += bytes;
  else
    next_.push_back({offset, offset + bytes});
  next_bytes_ += bytes;
  if (next_bytes_ < part_bytes_) return;
  for (const Range& range : next_) file_.begin_moving_to_disk(range.begin, range.end - range.begin);
  on_way_.push_back(std::exchange(next_, {}));
  next_bytes_ = 0;
  constexpr std::size_t most_on_way = 4;
  if (on_way_.size() <= most_on_way) return;
  for (const Range& range : on_way_.front())
    file_.finish_moving_to_disk(range.begin, range.end - range.begin);
  on_way_.pop_front();
}

}  // namespace op2::comm
