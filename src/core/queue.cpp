// SPDX-License-Identifier: BSD-3-Clause
#include <core/queue.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <core/arithmetic.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::core {
namespace {

/// Copies start at multiples of 16 bytes, enough for every value type and for vector loads.
constexpr std::size_t capture_alignment = 16;

/// Number of columns that an argument comprises; one that is off may have no map.
int members_of(const op_arg& arg) {
  return arg.idx < -1 ? -arg.idx : 1;
}

/// The position of argument `k` if vector arguments are expanded.
int position_of(std::span<const op_arg> args, int k) {
  int position = 0;
  for (const op_arg& arg : args.first(k)) position += arg.opt != 0 ? members_of(arg) : 1;
  return position;
}

/// Values of the row that the kernel gets.
int row_dim_of(const op_arg& arg) {
  const bool is_dat = arg.argtype == OP_ARG_DAT && arg.opt != 0 && arg.dat != nullptr;
  return dim_of(arg) + (is_dat ? record_of(arg.dat)->padding : 0);
}

LoopArg loop_arg(const op_arg& arg) {
  return {.kind = arg.argtype == OP_ARG_INFO ? OP_ARG_GBL : arg.argtype,
          .access = arg.acc,
          .dim = row_dim_of(arg),
          .column = members_of(arg) > 1 ? 0 : arg.idx,
          .members = members_of(arg),
          .type = type_of(arg),
          .active = arg.opt != 0,
          .optional = arg.optional,
          .dat = record_of(arg.dat),
          .map = record_of(arg.map),
          .global = record_of(arg.global)};
}

}  // namespace

bool Queue::push_loop(op_kernel kernel, const op_loop_name& name, op_set set,
                      std::span<const op_arg> args) {
  bool forces = false;
  const auto first = static_cast<std::uint32_t>(args_.size());
  for (const op_arg& arg : args) {
    args_.push_back(loop_arg(arg));
    ArgValue& value = values_.emplace_back(ArgValue{arg.data, 0});
    if (arg.argtype == OP_ARG_INFO) args_.back().info_of = position_of(args, arg.idx);
    if (is_raw_global(arg)) {
      if (arg.acc == OP_READ) value.captured = capture(arg.data, size_of(arg.value_type, arg.dim));
      forces = forces || arg.acc != OP_READ;
    } else if (arg.opt != 0 && members_of(arg) > 1) {
      push_other_members(args_.back());
    }
  }
  records_.push_back({.kernel = kernel,
                      .name = intern(name.name),
                      .set = record_of(set),
                      .where = {name.file, name.line},
                      .first_arg = first,
                      .arg_count = static_cast<std::uint32_t>(args_.size() - first),
                      .target = nullptr,
                      .captured = 0,
                      .region = region_});
  return forces;
}

void Queue::push_other_members(LoopArg arg) {
  const int columns = std::exchange(arg.members, 0);
  while (++arg.column < columns) {
    args_.push_back(arg);
    values_.push_back({});
  }
}

void Queue::push_assignment(Global& global, const void* values) {
  LoopRecord record{};
  record.first_arg = static_cast<std::uint32_t>(args_.size());
  record.target = &global;
  record.captured = capture(values, global.value.bytes());
  records_.push_back(record);
}

Queue Queue::with_args(std::vector<LoopArg> args) const {
  Queue other;
  other.records_ = records_;
  other.args_ = std::move(args);
  return other;
}

Queue Queue::first(std::size_t count) const {
  Queue other;
  other.records_.assign(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count));
  other.args_ = args_;
  other.values_ = values_;
  other.captured_ = captured_;
  return other;
}

Queue Queue::in_colours(std::span<const Colouring* const> colourings) const {
  Queue other = first(0);
  for (std::size_t k = 0; k < size(); ++k) {
    LoopRecord record = records_[k];
    record.colouring = colourings[k];
    const int times = record.colouring == nullptr ? 1 : record.colouring->count;
    for (record.colour = 0; record.colour < times; ++record.colour)
      other.records_.push_back(record);
  }
  return other;
}

bool Queue::same(const LoopRecord& a, const LoopRecord& b) const {
  return a.kernel == b.kernel && a.name == b.name && a.set == b.set && a.target == b.target &&
         std::ranges::equal(args_of(a), args_of(b));
}

std::size_t Queue::period() const {
  for (std::size_t length = 1; 2 * length <= size(); ++length) {
    const auto repeats = [&](std::size_t k) { return same(records_[k], records_[k - length]); };
    std::size_t k = length;
    while (k < size() && repeats(k)) ++k;
    if (k == size()) return length;
  }
  return 0;
}

void Queue::clear() {
  records_.clear();
  args_.clear();
  values_.clear();
  captured_.clear();
}

std::size_t Queue::capture(const void* values, std::size_t bytes) {
  const std::size_t offset = round_up(captured_.size(), capture_alignment);
  captured_.resize(offset + bytes);
  std::memcpy(captured_.data() + offset, values, bytes);
  return offset;
}

const char* Queue::intern(const char* name) {
  const auto known = names_.find(std::string_view(name));
  return known != names_.end() ? known->c_str() : names_.emplace(name).first->c_str();
}

}  // namespace op2::core
