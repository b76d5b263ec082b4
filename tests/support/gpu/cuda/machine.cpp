// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

/// After which all later calls of a process fail as well.
bool stays(int code) {
  constexpr std::array staying{214, 700, 702, 710, 714, 715, 716, 717, 718, 719};
  return std::ranges::find(staying, code) != staying.end();
}

std::unique_ptr<Machine>& only_machine() {
  static std::unique_ptr<Machine> only;
  return only;
}

std::mutex& lock_of_machine() {
  static std::mutex lock;
  return lock;
}

/// A context of a machine that was reset is not taken for one of the next.
struct Current {
  std::int64_t machine = 0;  ///< its serial number
  Context* context = nullptr;
};

std::int64_t next_serial() {
  static std::atomic<std::int64_t> last = 0;
  return ++last;
}

Current& current_of_thread() {
  thread_local Current current;
  return current;
}

}  // namespace

Context::Context(int its_number, const Settings& settings)
    : number(its_number),
      device({fmt::format("emulated device {}", its_number), settings.memory, settings.schedule,
              settings.host}),
      null_stream(device.create_stream()),
      kernels{device.access_order(), std::mt19937(settings.schedule.seed), {}} {}

Machine::Machine() : serial_(next_serial()) {}

Machine::~Machine() {
  if (settings_.report.empty() || settings_.omitted.empty()) return;
  std::ofstream report(settings_.report, std::ios::app);
  for (const auto& [function, count] : calls_)
    report << "calls: " << function << ' ' << count << '\n';
}

void Machine::initialize() {
  const std::lock_guard guard(lock_);
  if (settings_.devices == 0) throw DriverError{Code::no_device};
  for (int k = static_cast<int>(contexts_.size()); k < settings_.devices; ++k)
    contexts_.push_back(std::make_unique<Context>(k, settings_));
  initialized_ = true;
}

Context& Machine::context(int device) {
  if (device < 0 || device >= settings_.devices) throw DriverError{Code::invalid_device};
  return *contexts_[static_cast<std::size_t>(device)];
}

Context* Machine::current() const {
  const Current& current = current_of_thread();
  return current.machine == serial_ ? current.context : nullptr;
}

void Machine::set_current(Context* context) {
  current_of_thread() = {serial_, context};
}

bool Machine::has(const Context* context) const {
  return std::ranges::any_of(contexts_, [&](const auto& mine) { return mine.get() == context; });
}

void Machine::count(const char* function) {
  const std::lock_guard guard(lock_);
  ++all_calls_;
  ++calls_[function];
  if (is_followed_) history_.push_back(function);
  if (settings_.failing == function) throw DriverError{settings_.fail_code};
  if (settings_.fail_at == 0 || all_calls_ < settings_.fail_at) return;
  if (all_calls_ == settings_.fail_at) {
    failed_ = function;
    if (!settings_.report.empty())
      std::ofstream(settings_.report, std::ios::app) << "planned failure: " << function << '\n';
  }
  if (all_calls_ == settings_.fail_at || stays(settings_.fail_code))
    throw DriverError{settings_.fail_code};
}

bool Machine::omits(const char* function) {
  const std::lock_guard guard(lock_);
  return settings_.omitted == function && calls_[function] == settings_.omit_at;
}

void Machine::note_omitted(const char* function, const std::string& details) {
  if (settings_.report.empty()) return;
  std::ofstream(settings_.report, std::ios::app)
      << "left out: " << function << ' ' << settings_.omit_at << (details.empty() ? "" : ", ")
      << details << '\n';
}

std::int64_t Machine::calls(const std::string& function) {
  const std::lock_guard guard(lock_);
  return function.empty() ? all_calls_ : calls_[function];
}

std::string Machine::failed() {
  const std::lock_guard guard(lock_);
  return failed_;
}

std::string Machine::history() {
  const std::lock_guard guard(lock_);
  std::string all;
  for (const char* function : history_) all += std::string(function) + " ";
  history_.clear();
  is_followed_ = true;
  return all;
}

void Machine::report(const std::string& finding) {
  const std::lock_guard guard(lock_);
  findings_.push_back(finding);
  std::fprintf(stderr, "%s\n", finding.c_str());
  if (!settings_.report.empty()) std::ofstream(settings_.report, std::ios::app) << finding << '\n';
}

std::string Machine::findings() {
  const std::lock_guard guard(lock_);
  std::string all;
  for (const std::string& finding : findings_) all += finding + "\n";
  return all;
}

Machine& machine() {
  const std::lock_guard guard(lock_of_machine());
  if (only_machine() == nullptr) only_machine() = std::make_unique<Machine>();
  return *only_machine();
}

void reset_machine() {
  const std::lock_guard guard(lock_of_machine());
  only_machine().reset();
}

}  // namespace op2::test::gpu::cuda
