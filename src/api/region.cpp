// SPDX-License-Identifier: BSD-3-Clause
#include <op2/region.hpp>

#include <api/session.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

using namespace op2;

std::int64_t op2::detail::begin_region(const char* name) {
  auto& runtime = api::running("op_region");
  core::check_name("op_region", name);
  const std::int64_t begun = runtime.profile.begin_region(name);
  runtime.queue.set_region(runtime.profile.region());
  return begun;
}

void op2::detail::end_region(std::int64_t begun) noexcept {
  api::Runtime* const runtime = api::session_or_null();
  if (runtime == nullptr || runtime->forked() || !runtime->is_on_its_thread()) return;
  runtime->profile.end_region(begun);
  runtime->queue.set_region(runtime->profile.region());
}

void op_region_begin(const char* name) {
  static_cast<void>(detail::begin_region(name));
}

void op_region_end() {
  auto& runtime = api::running();
  if (!runtime.profile.end_region())
    core::fail(ErrorCode::bad_range,
               "a region ends that has not begun: op_region_end, 0 are open; call op_region_begin "
               "before it");
  runtime.queue.set_region(runtime.profile.region());
}
