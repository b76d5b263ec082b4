// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <comm/files/file_writer.hpp>
#include <comm/messages/records.hpp>
#include <core/measurements/trace.hpp>
#include <core/progress.hpp>

namespace op2::api {
namespace {

class TraceFile : public core::Trace {
 public:
  explicit TraceFile(Runtime& runtime) : runtime_(runtime) {}

  void session_ends() override {
    const std::string& path = runtime_.options.trace;
    const core::Progress progress(runtime_.log, fmt::format("writing '{}'", path));
    runtime_.enter("trace");
    std::vector<std::string> events_of_ranks;
    runtime_.collectively([&] {
      const std::string mine = events(runtime_.ranks().rank());
      for (const auto& message : comm::gather_on_root(runtime_.ranks(), comm::bytes_of(mine)))
        events_of_ranks.push_back(comm::text_of(message.bytes));
    });
    runtime_.enter("OP2_TRACE");
    runtime_.do_on_root([&] {
      comm::FileWriter file(path);
      file.write(core::trace_as_json(events_of_ranks, dropped()));
      file.publish();
    });
  }

 private:
  Runtime& runtime_;
};

}  // namespace

std::unique_ptr<core::Listener> make_trace_file(Runtime& runtime) {
  return std::make_unique<TraceFile>(runtime);
}

}  // namespace op2::api
