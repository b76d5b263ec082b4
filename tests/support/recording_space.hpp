// SPDX-License-Identifier: BSD-3-Clause
// A MemorySpace of plain memory that executes at the call and writes down what it was asked for.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <core/error.hpp>
#include <core/memory_space.hpp>

namespace op2::test {

/// What a space was asked for, and what is to go wrong.
struct Recording {
  std::vector<std::string> calls;  ///< "upload 16", "fill 8", ...
  std::string failing;             ///< the call that fails: its first word; empty: none
  std::size_t capacity = 1000, used = 0;

  void add(const std::string& call, std::size_t bytes) {
    if (call == failing)
      core::fail(ErrorCode::device_failure, "the test's device fails: {}, {} bytes; nothing to do",
                 call, bytes);
    calls.push_back(call + " " + std::to_string(bytes));
  }
  /// Yields what was called since the last time.
  std::vector<std::string> take() { return std::exchange(calls, {}); }
};

class RecordingEvent final : public core::Event {
 public:
  bool reached() override { return true; }
  void wait() override {}
};

class RecordingStream final : public core::Stream {
 public:
  explicit RecordingStream(Recording& recording) : recording_(recording) {}
  void upload(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    move("upload", to.value, from, bytes);
  }
  void download(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    move("download", to, from.value, bytes);
  }
  void copy(core::DeviceAddress to, core::DeviceAddress from, std::size_t bytes) override {
    move("copy", to.value, from.value, bytes);
  }
  void fill(core::DeviceAddress to, std::byte value, std::size_t bytes) override {
    recording_.add("fill", bytes);
    std::memset(to.value, static_cast<int>(value), bytes);
  }
  void record(core::Event&) override {}
  void wait_for(const core::Event&) override {}
  void upload_and_wait(core::DeviceAddress to, const std::byte* from, std::size_t bytes) override {
    upload(to, from, bytes);
  }
  void download_and_wait(std::byte* to, core::DeviceAddress from, std::size_t bytes) override {
    download(to, from, bytes);
  }
  void wait() override {}
  void settle() noexcept override {}

 private:
  void move(const char* call, std::byte* to, const std::byte* from, std::size_t bytes) {
    recording_.add(call, bytes);
    std::memcpy(to, from, bytes);
  }
  Recording& recording_;
};

class RecordingSpace final : public core::MemorySpace {
 public:
  std::string name() const override { return "the test's device"; }
  core::DeviceAddress allocate(std::size_t bytes) override {
    if (recording.used + bytes > recording.capacity) throw std::bad_alloc();
    recording.used += bytes;
    blocks_.push_back({std::make_unique<std::byte[]>(bytes), bytes});
    return core::DeviceAddress(blocks_.back().memory.get());
  }
  void release(core::DeviceAddress address) noexcept override {
    std::erase_if(blocks_, [&](const Block& block) {
      if (block.memory.get() != address.value) return false;
      recording.used -= block.bytes;
      return true;
    });
  }
  std::byte* allocate_pinned(std::size_t bytes) override { return new std::byte[bytes]; }
  void release_pinned(std::byte* memory) noexcept override { delete[] memory; }
  std::unique_ptr<core::Stream> make_stream() override {
    return std::make_unique<RecordingStream>(recording);
  }
  std::unique_ptr<core::Event> make_event() override { return std::make_unique<RecordingEvent>(); }
  core::Stream& main_stream() override { return main_; }
  core::DeviceRoom room() override {
    return {recording.capacity - recording.used, recording.capacity};
  }

  Recording recording;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
  RecordingStream main_{recording};
};

}  // namespace op2::test
