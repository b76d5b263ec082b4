// SPDX-License-Identifier: BSD-3-Clause
#include <api/background.hpp>

#include <memory>

#include <core/counted.hpp>
#include <core/progress.hpp>

namespace op2::api {

void begin_background(Runtime& runtime) {
  const std::int64_t bytes = runtime.options.async_io_bytes;
  if (bytes == 0) return;  // equal on all ranks
  runtime.enter("the thread of OP2_ASYNC_IO");
  runtime.check_together(
      [&] { runtime.background_results = std::make_unique<BackgroundResults>(bytes); });
}

void look_at_background(Runtime& runtime) {
  if (runtime.background_results == nullptr) return;
  const core::Progress progress(runtime.log, "looking at results in the background");
  runtime.background_results->look(runtime.ranks());
}

void finish_background(Runtime& runtime, const char* call) {
  if (runtime.background_results == nullptr) return;
  const core::Progress progress(runtime.log, "writing results that are left in the background");
  runtime.enter("{}", call);
  runtime.background_results->finish(runtime.ranks());
}

void end_background(Runtime& runtime) {
  if (runtime.background_results == nullptr) return;
  const core::InPart part(&runtime.profile, core::Part::files);
  if (runtime.others_wait()) {
    runtime.background_results->drain();
    return report_unfinished_results(runtime);
  }
  try {
    finish_background(runtime, "op_exit");
  } catch (const Error&) {
    runtime.background_results->drain();
    report_unfinished_results(runtime);
    throw;
  }
}

void report_unfinished_results(Runtime& runtime) {
  const std::size_t count =
      runtime.background_results ? runtime.background_results->unfinished() : 0;
  if (count > 0)
    runtime.log.warning(
        fmt::format("results may be incomplete: {} that OP2_ASYNC_IO left to the background; only "
                    "op_exit on all ranks completes them",
                    core::counted(count, "call")));
}

}  // namespace op2::api
