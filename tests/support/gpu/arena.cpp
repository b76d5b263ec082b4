// SPDX-License-Identifier: BSD-3-Clause
#include "arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "fault_report.hpp"
#include "poison.hpp"

#include <fmt/format.h>

namespace op2::test::gpu {
namespace {

constexpr std::size_t page = Arena::page_size, alignment = 256;
constexpr std::size_t range_bytes = std::size_t{1} << 36;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

std::byte* map(int file, int protection) {
  void* memory = ::mmap(nullptr, range_bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  require(memory != MAP_FAILED, "mmap");
  return static_cast<std::byte*>(memory);
}

void protect(std::span<std::byte> pages, int protection) {
  require(::mprotect(pages.data(), pages.size(), protection) == 0, "mprotect");
}

}  // namespace

/// Memory that a kernel may access, for as long as the object lives.
class Arena::Opening {
 public:
  Opening(Arena& arena, const std::string& kernel) : arena_(arena) {
    arena_.kernel_ = &kernel;
    arena_.opening_ = this;
  }
  ~Opening() {
    for (Allocation* allocation : opened_) {
      ::mprotect(allocation->pages.data(), allocation->pages.size(), arena_.closed_);
      allocation->open = false;
    }
    arena_.kernel_ = nullptr;
    arena_.opening_ = nullptr;
  }
  void add(Allocation& allocation) {
    opened_.push_back(&allocation);
    protect(allocation.pages, PROT_READ | PROT_WRITE);
    allocation.open = true;
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  Arena& arena_;
  std::vector<Allocation*> opened_;
};

Arena::Arena(std::size_t capacity, HostAccess host, Findings& findings)
    : findings_(findings),
      capacity_(capacity),
      closed_(host == HostAccess::allowed ? PROT_READ | PROT_WRITE : PROT_NONE),
      file_(::memfd_create("emulated device", 0)) {
  require(file_ >= 0, "memfd_create");
  require(::ftruncate(file_, range_bytes) == 0, "ftruncate");
  range_ = {map(file_, closed_), range_bytes};
  own_view_ = map(file_, PROT_READ | PROT_WRITE);
  next_ = range_.data() + page;
  FaultReport::instance().add(*this);
}

Arena::~Arena() {
  FaultReport::instance().remove(*this);
  ::munmap(range_.data(), range_bytes);
  ::munmap(own_view_, range_bytes);
  ::close(file_);
}

std::byte* Arena::inside(const void* device) const {
  return own_view_ + (static_cast<const std::byte*>(device) - range_.data());
}

std::byte* Arena::allocate(std::size_t bytes, std::string name) {
  const std::size_t data_bytes = round_up(bytes, alignment);
  const std::size_t page_bytes = round_up(std::max(data_bytes, page), page);
  const auto left = static_cast<std::size_t>(range_.data() + range_bytes - next_);
  if (bytes > capacity_ - live_bytes_ || page_bytes + page > left)
    throw OutOfMemory(fmt::format("out of memory: {} bytes, {} of {} in use; free some", bytes,
                                  live_bytes_, capacity_));
  const std::span pages{next_, page_bytes};
  next_ += page_bytes + page;
  poison({inside(pages.data()), page_bytes});
  std::byte* data = pages.data() + page_bytes - data_bytes;
  Allocation& added = allocations_[pages.data()];
  added = {std::move(name),     data, bytes, pages, std::vector<std::uint8_t>(bytes),
           AccessHistory(bytes)};
  by_page_.resize(static_cast<std::size_t>(next_ - range_.data()) / page, nullptr);
  std::fill_n(by_page_.end() - static_cast<std::ptrdiff_t>(page_bytes / page) - 1,
              page_bytes / page, &added);
  live_bytes_ += bytes;
  return data;
}

void Arena::free(void* data) {
  Allocation& allocation = find(data, 0, "free");
  if (allocation.data != data)
    findings_.report("free of a pointer into the middle of an allocation: '{}', offset {}",
                     allocation.name, allocation.offset_of(data));
  check_slack(allocation);
  allocation.freed = true;
  allocation.has_value = {};
  allocation.history = {};
  live_bytes_ -= allocation.bytes;
  ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              allocation.pages.data() - range_.data(), static_cast<off_t>(allocation.pages.size()));
}

const Allocation* Arena::nearest(const void* address) const {
  auto after = allocations_.upper_bound(static_cast<const std::byte*>(address));
  if (after == allocations_.begin()) return after == allocations_.end() ? nullptr : &after->second;
  return &std::prev(after)->second;
}

Allocation& Arena::find(const void* data, std::size_t bytes, std::string_view user) {
  auto* allocation = const_cast<Allocation*>(nearest(data));
  if (!contains(data) || allocation == nullptr)
    findings_.report("'{}' takes memory of the host for memory of the device: {}", user, data);
  const auto* first = static_cast<const std::byte*>(data);
  if (first < allocation->data || first + bytes > allocation->data + allocation->bytes)
    findings_.report("'{}' goes outside of an allocation: '{}' of {} bytes, offset {}, {} bytes",
                     user, allocation->name, allocation->bytes, first - allocation->data, bytes);
  if (allocation->freed)
    findings_.report("'{}' uses freed memory: '{}' of {} bytes, offset {}", user, allocation->name,
                     allocation->bytes, first - allocation->data);
  return *allocation;
}

void Arena::require_values(const void* data, std::size_t bytes, std::string_view user) {
  const Allocation& allocation = find(data, bytes, user);
  const std::size_t begin = allocation.offset_of(data);
  for (std::size_t k = begin; k < begin + bytes; ++k)
    if (!allocation.has_value[k] && in_poisoned_word(inside(allocation.data + k)))
      findings_.report("'{}' reads memory without a value: '{}' of {} bytes, offset {}", user,
                       allocation.name, allocation.bytes, k);
}

void Arena::give_values(void* data, std::size_t bytes) {
  Allocation& allocation = find(data, bytes, "copy");
  const auto begin =
      allocation.has_value.begin() + static_cast<std::ptrdiff_t>(allocation.offset_of(data));
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(bytes), std::uint8_t{1});
}

void Arena::copy_in(void* device, const void* host, std::size_t bytes) {
  std::memcpy(inside(device), host, bytes);
  give_values(device, bytes);
}

void Arena::copy_out(void* host, const void* device, std::size_t bytes) const {
  std::memcpy(host, inside(device), bytes);
}

void Arena::copy_inside(void* to, const void* from, std::size_t bytes) {
  std::memmove(inside(to), inside(from), bytes);
  const Allocation& source = find(from, bytes, "copy");
  Allocation& target = find(to, bytes, "copy");
  const std::size_t a = source.offset_of(from), b = target.offset_of(to);
  for (std::size_t k = 0; k < bytes; ++k) target.has_value[b + k] = source.has_value[a + k];
}

void Arena::run(const std::string& kernel, const std::function<void()>& function) {
  const Opening opening(*this, kernel);
  function();
}

void Arena::check_slack(const Allocation& allocation) {
  const std::byte* begin = inside(allocation.data);
  const std::byte* end = begin + allocation.bytes;
  const std::byte* first = inside(allocation.pages.data());
  const std::byte* last = first + allocation.pages.size();
  for (const std::span<const std::byte> slack : {std::span(first, begin), std::span(end, last)}) {
    const std::byte* changed = first_changed(slack);
    if (changed != slack.data() + slack.size())
      findings_.report("memory beside an allocation was written: '{}' of {} bytes, offset {}",
                       allocation.name, allocation.bytes, changed - begin);
  }
}

void Arena::open(Allocation& allocation) {
  opening_->add(allocation);
}

std::string Arena::describe(const void* address) const {
  const Allocation* allocation = nearest(address);
  if (allocation == nullptr) return "memory that was never allocated";
  return fmt::format("'{}' of {} bytes{}, offset {}", allocation->name, allocation->bytes,
                     allocation->freed ? ", freed" : "",
                     static_cast<const std::byte*>(address) - allocation->data);
}

std::string Arena::explain_fault(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  if (!contains(address)) return {};
  const std::string who = kernel_ == nullptr
                              ? "the host"
                              : fmt::format("kernel '{}' (or the host beside it)", *kernel_);
  const Allocation* allocation = nearest(address);
  if (allocation == nullptr) return fmt::format("{} accesses memory that was never allocated", who);
  const bool within = byte >= allocation->data && byte < allocation->data + allocation->bytes;
  const char* what = allocation->freed    ? "freed memory"
                     : !within            ? "memory outside of an allocation"
                     : kernel_ == nullptr ? "memory of the device"
                                          : "memory that it has not opened";
  return fmt::format("{} accesses {}: '{}' of {} bytes, offset {}", who, what, allocation->name,
                     allocation->bytes, byte - allocation->data);
}

}  // namespace op2::test::gpu
