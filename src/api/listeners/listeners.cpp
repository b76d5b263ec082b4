// SPDX-License-Identifier: BSD-3-Clause
#include <api/listeners/listeners.hpp>

#include <limits>
#include <string>
#include <vector>

#include <api/runtime.hpp>
#include <comm/files/open_file.hpp>
#include <core/log.hpp>
#include <core/measurements/trace.hpp>

namespace op2::api {
namespace {

class TraceFile : public core::Trace {
 public:
  explicit TraceFile(Runtime& runtime) : runtime_(runtime) {}

  void session_ends() override {
    const std::string& path = runtime_.options.trace;
    const core::Progress progress(runtime_.log, fmt::format("writing '{}'", path));
    runtime_.enter("trace");
    const auto events_of_ranks =
        runtime_.texts_on_root([&] { return events(runtime_.ranks().rank()); });
    runtime_.enter("OP2_TRACE");
    runtime_.do_on_root(
        [&] { comm::write_file(path, core::trace_as_json(events_of_ranks, dropped())); });
  }

 private:
  Runtime& runtime_;
};

}  // namespace

std::unique_ptr<core::Listener> make_trace_file(Runtime& runtime) {
  return std::make_unique<TraceFile>(runtime);
}

void add_listeners(Runtime& runtime) {
  const core::Options& options = runtime.options;
  const struct {
    bool wanted;
    std::unique_ptr<core::Listener> (*make)(Runtime&);
  } rows[] = {
      {!options.trace.empty(), make_trace_file},
      {options.check_bits, make_bits_check},
      {options.check_finite, make_finite_check},
      {options.check_pointers && runtime.device != nullptr, make_pointer_check},
      {!options.hash_file.empty(), make_value_log},
      {!options.model_file.empty(), make_model_log},
  };
  for (const auto& row : rows)
    if (row.wanted) runtime.measurements.listeners.push_back(row.make(runtime));
}

FirstOfRanks first_of_ranks(comm::Communicator& ranks, const std::optional<ElementPosition>& mine) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr int bits = 40;  // of an element
  const std::int64_t key =
      mine ? (static_cast<std::int64_t>(mine->position) << bits) + mine->element : none;
  comm::WordReduction first{{}, {key}, {}};
  ranks.reduce(first, "comparing values");
  return {first.minima.front() != none, mine.has_value() && first.minima.front() == key};
}

}  // namespace op2::api
