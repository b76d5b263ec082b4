// SPDX-License-Identifier: BSD-3-Clause
// The functions of op2/checkpoint.hpp.
#include <op2/checkpoint.hpp>

#include <api/session.hpp>
#include <core/validate.hpp>

using namespace op2;

void op2::detail::keep(const char* name, int count, Type value_type, void* values) {
  auto& runtime = api::usable("op_keep");
  core::check_name("op_keep", name);
  runtime.checkpoints.keep(name, count, value_type, values);
}

void op_checkpoint(const char* file) {
  auto& runtime = api::usable();
  core::check_path("op_checkpoint", file);
  const core::InPart part(&runtime.profile, core::Part::files);
  runtime.checkpoints.write(file);
}

bool op_restore(const char* file) {
  auto& runtime = api::usable();
  core::check_path("op_restore", file);
  const core::InPart part(&runtime.profile, core::Part::files);
  return runtime.checkpoints.restore(file);
}

void op_checkpoint_at(const char* file, const op_checkpoint_times& times) {
  auto& runtime = api::usable();
  core::check_path("op_checkpoint_at", file);
  runtime.enter("op_checkpoint_at '{}', {} steps, {} seconds, signal {}", file, times.every_steps,
                times.every_seconds, times.signal);
  runtime.checkpoints.set_times(file, times);
}

bool op_checkpoint_step() {
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  return runtime.checkpoints.step();
}
