// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/cuda_stream.hpp>

#include <core/error.hpp>
#include <gpu/cuda_space.hpp>

namespace op2::gpu {
namespace {

EventHandle handle_of(const core::Event& event) {
  const auto* const same = dynamic_cast<const CudaEvent*>(&event);
  core::ensure(same != nullptr, "an event is not one of a CUDA device");
  return same->handle();
}

}  // namespace

CudaEvent::CudaEvent(const Driver& driver) : driver_(driver) {
  driver_.call(&DriverApi::event_create, &handle_, event_without_timing);
}

CudaEvent::~CudaEvent() {
  driver_.call_later(&DriverApi::event_destroy, handle_);
}

bool CudaEvent::reached() {
  const int result = driver_.result_of(&DriverApi::event_query, handle_);
  if (result != DriverResult::success && result != DriverResult::not_ready)
    driver_.fail(driver_.api().event_query.name(), result);
  return result == DriverResult::success;
}

void CudaEvent::wait() {
  driver_.call(&DriverApi::event_wait, handle_);
}

CudaStream::CudaStream(const Driver& driver, Staging& staging)
    : driver_(driver), staging_(staging) {
  driver_.call(&DriverApi::stream_create, &handle_, stream_non_blocking);
}

CudaStream::~CudaStream() {
  driver_.call_and_ignore(&DriverApi::stream_wait, handle_);
  driver_.call_later(&DriverApi::stream_destroy, handle_);
}

void CudaStream::upload(core::DeviceAddress to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) driver_.call(&DriverApi::upload, pointer(to), from, bytes, handle_);
}

void CudaStream::download(std::byte* to, core::DeviceAddress from, std::size_t bytes) {
  if (bytes > 0) driver_.call(&DriverApi::download, to, pointer(from), bytes, handle_);
}

void CudaStream::copy(core::DeviceAddress to, core::DeviceAddress from, std::size_t bytes) {
  if (bytes > 0) driver_.call(&DriverApi::copy, pointer(to), pointer(from), bytes, handle_);
}

void CudaStream::fill(core::DeviceAddress to, std::byte value, std::size_t bytes) {
  const auto byte = std::to_integer<unsigned char>(value);
  if (bytes > 0) driver_.call(&DriverApi::fill, pointer(to), byte, bytes, handle_);
}

void CudaStream::record(core::Event& event) {
  driver_.call(&DriverApi::event_record, handle_of(event), handle_);
}

void CudaStream::wait_for(const core::Event& event) {
  driver_.call(&DriverApi::stream_wait_for, handle_, handle_of(event), 0U);
}

void CudaStream::upload_and_wait(core::DeviceAddress to, const std::byte* from, std::size_t bytes) {
  staging_.upload(*this, to, from, bytes);
}

void CudaStream::download_and_wait(std::byte* to, core::DeviceAddress from, std::size_t bytes) {
  staging_.download(*this, to, from, bytes);
}

void CudaStream::wait() {
  driver_.call(&DriverApi::stream_wait, handle_);
}

void CudaStream::settle() noexcept {
  driver_.call_later(&DriverApi::stream_wait, handle_);
}

CudaStream& cuda_stream(core::Stream& stream) {
  auto* const same = dynamic_cast<CudaStream*>(&stream);
  core::ensure(same != nullptr, "a stream is not one of a CUDA device");
  return *same;
}

Timer::~Timer() {
  for (EventHandle event : events_) driver_.call_later(&DriverApi::event_destroy, event);
}

Timer::Mark Timer::set(core::Stream& stream) {
  if (marks_ == events_.size()) {
    EventHandle event = nullptr;
    driver_.call(&DriverApi::event_create, &event, event_with_timing);
    events_.push_back(event);
  }
  driver_.call(&DriverApi::event_record, events_[marks_], cuda_stream(stream).handle());
  return marks_++;
}

double Timer::seconds(Mark from, Mark to) const {
  float milliseconds = 0;
  driver_.call(&DriverApi::event_elapsed, &milliseconds, events_.at(from), events_.at(to));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace op2::gpu
