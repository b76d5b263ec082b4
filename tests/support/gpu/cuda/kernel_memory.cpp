// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_memory.hpp"

#include <algorithm>
#include <array>

#include "kernel_image.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

bool is_in(std::span<const std::byte> memory, const std::byte* byte) {
  return byte >= memory.data() && byte < memory.data() + memory.size();
}

const char* name_of(AccessKind kind) {
  constexpr std::array names{"read", "write", "atomic update"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

KernelMemory::KernelMemory(Arena& arena, const KernelImage& image, const KnownVariables& variables)
    : arena_(arena),
      image_(image),
      variables_(variables),
      shared_{image.shared(), {}, AccessHistory(image.shared().size())},
      writable_{image.writable(), std::vector<std::uint8_t>(image.writable().size(), 1),
                AccessHistory(image.writable().size())} {}

void KernelMemory::start_block() {
  shared_.has_value.assign(shared_.bytes.size(), 0);
}

Fault KernelMemory::check_section(const std::byte* begin, std::size_t bytes, AccessKind kind,
                                  const Moment& at) {
  if (shared_.contains(begin)) return check(shared_, begin, bytes, kind, at, at.block);
  if (is_in(image_.constants(), begin)) return check_constant(begin, bytes, kind, at);
  if (writable_.contains(begin)) return check(writable_, begin, bytes, kind, at, at.kernel);
  if (!is_in(image_.all(), begin)) return Fault::host;
  return kind == AccessKind::read ? Fault::none : Fault::read_only;
}

Fault KernelMemory::check(Section& section, const std::byte* begin, std::size_t bytes,
                          AccessKind kind, const Moment& at, std::uint64_t since) {
  if (begin + bytes > section.bytes.data() + section.bytes.size()) return Fault::outside;
  const auto offset = static_cast<std::size_t>(begin - section.bytes.data());
  if (!have_values(section.has_value.data() + offset, bytes, kind)) return Fault::without_value;
  rival_ = section.history.note(offset, bytes, kind, at, since);
  return rival_ == nullptr ? Fault::none : Fault::race;
}

Fault KernelMemory::check_constant(const std::byte* begin, std::size_t bytes, AccessKind kind,
                                   const Moment& at) {
  if (kind != AccessKind::read) return Fault::read_only;
  for (const KnownVariable& variable : variables_) {
    if (!is_in(variable.in_image, begin)) continue;
    const std::byte* on_device = variable.on_device + (begin - variable.in_image.data());
    Allocation& allocation = arena_.find(on_device, bytes, variable.name);
    const std::size_t offset = allocation.offset_of(on_device);
    if (!have_values(&allocation.has_value[offset], bytes, kind)) return Fault::without_value;
    rival_ = allocation.history.note(offset, bytes, kind, at, at.kernel);
    if (rival_ != nullptr) return Fault::race;
  }
  return Fault::none;
}

std::string KernelMemory::describe(const std::byte* begin) const {
  if (arena_.contains(begin)) return arena_.describe(begin);
  if (shared_.contains(begin))
    return fmt::format("shared memory, offset {}", begin - shared_.bytes.data());
  for (const KnownVariable& variable : variables_)
    if (is_in(variable.in_image, begin))
      return fmt::format("variable '{}', offset {}", variable.name,
                         begin - variable.in_image.data());
  return is_in(image_.all(), begin) ? "memory of the module" : "memory of the host";
}

std::string KernelMemory::describe_rival(const AccessOrder& order) const {
  const Moment& at = order.moment();
  const char* what = name_of(rival_->kind);
  if (rival_->who.time() < at.kernel)
    return fmt::format("{} of other work, '{}',", what, order.work_at(rival_->who.time()));
  return fmt::format("{} of thread {} of {} block", what, rival_->who.thread(),
                     rival_->who.in_block(at) ? "this" : "another");
}

std::string KernelMemory::explain(Fault fault, const std::byte* begin, std::size_t bytes,
                                  AccessKind kind, const AccessOrder& order) const {
  const std::string what = fmt::format("{} of {} bytes", name_of(kind), bytes);
  const std::string where = describe(begin);
  switch (fault) {
    case Fault::none:
      return {};
    case Fault::misaligned:
      return fmt::format("misaligned {}: {}", what, where);
    case Fault::outside:
      return fmt::format("{} outside of any allocation: {}", what, where);
    case Fault::host:
      return fmt::format("{} of memory of the host: {}", what, static_cast<const void*>(begin));
    case Fault::read_only:
      return fmt::format("{} of memory that is read only: {}", what, where);
    case Fault::without_value:
      return fmt::format("{} without a value: {}", what, where);
    case Fault::race:
      break;
  }
  return fmt::format("race: {}; {} is not ordered before it: {}", what, describe_rival(order),
                     where);
}

}  // namespace op2::test::gpu::cuda
