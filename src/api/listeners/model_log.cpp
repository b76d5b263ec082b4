// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <comm/files/open_file.hpp>
#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/hash.hpp>
#include <core/log.hpp>
#include <core/measurements/run_recorder.hpp>

namespace op2::api {
namespace {

/// "run.maps" beside "run.json".
std::filesystem::path maps_path(const std::string& path) {
  std::filesystem::path maps = path;
  return maps.extension() == ".json" ? maps.replace_extension(".maps")
                                     : std::filesystem::path(path + ".maps");
}

void put_mesh(const core::Mesh& mesh, core::RunRecord& record) {
  for (const auto& set : mesh.sets()) record.sets.push_back({set->name_storage, set->global_size});
  for (const auto& map : mesh.maps())
    record.maps.push_back({map->name_storage, map->from->index, map->to->index, map->dim});
  for (const auto& dat : mesh.dats())
    record.dats.push_back({dat->name_storage, dat->set->index, dat->size});
}

/// Iterations and times of all ranks together; without ways in which nothing ran.
void add_up(comm::Communicator& ranks, std::vector<core::RecordedCost>& costs) {
  std::vector<comm::FoldedValues> numbers;
  for (core::RecordedCost& cost : costs) {
    numbers.push_back({Type::i64, comm::Fold::sum, 1, &cost.calls});
    numbers.push_back({Type::i64, comm::Fold::sum, 1, &cost.elements});
    numbers.push_back({Type::f64, comm::Fold::sum, 1, &cost.seconds});
  }
  comm::reduce_values(ranks, numbers);
  std::erase_if(costs, [](const core::RecordedCost& cost) { return cost.elements == 0; });
}

core::RunRecord record_of(Runtime& runtime, const core::RunRecorder& recorder) {
  const core::Options& options = runtime.options;
  core::RunRecord record;
  record.program = program_invocation_short_name;
  record.ranks = runtime.ranks().size();
  record.threads = runtime.pool.size();
  record.chains = options.chain != core::ChainMode::off;
  record.keep_dead = !options.eliminate_dead_loops;
  record.depth_max = options.depth_max;
  record.all_in_tiles = options.tile.mode == core::TileMode::fixed;
  put_mesh(runtime.mesh, record);
  recorder.put(runtime.measurements.table, record);
  const op_jit_statistics jit = runtime.jit_statistics();
  record.kernels = static_cast<int>(jit.compiled + jit.disk_hits + jit.received);
  record.compile_seconds = jit.wait_seconds;
  record.plan_seconds = std::max(0.0, record.plan_seconds - jit.wait_seconds);
  return record;
}

/// @return of the entries. On the root; collective
std::string write_maps(Runtime& runtime, const std::string& path) {
  std::optional<comm::FileWriter> file;
  core::Hasher hash;
  runtime.enter("OP2_MODEL, maps");
  runtime.do_on_root([&] { file.emplace(path); });
  for (const auto& map : runtime.mesh.maps()) {
    runtime.enter("OP2_MODEL, map '{}'", map->name_storage);
    runtime.collectively([&] {
      comm::Bytes storage;
      const comm::Bytes mine = runtime.rows.declared_entries(*map);
      const auto all = comm::joined_on_root(runtime.ranks(), mine, storage);
      if (!file) return;
      hash.bytes(all);
      file->write(all.data(), all.size());
    });
  }
  runtime.enter("OP2_MODEL, end of the maps");
  runtime.check_together([&] {
    if (file) file->publish();
  });
  return core::to_hex(hash.finish());
}

class ModelLog : public core::RunRecorder {
 public:
  explicit ModelLog(Runtime& runtime)
      : core::RunRecorder([&runtime] { return runtime.ranks().seconds(); }), runtime_(runtime) {}

  void session_completes() override;

 private:
  Runtime& runtime_;
};

void ModelLog::session_completes() {
  const std::string& path = runtime_.options.model_file;
  const core::Progress progress(runtime_.log, fmt::format("writing '{}'", path));
  core::RunRecord record = record_of(runtime_, *this);
  runtime_.enter("OP2_MODEL, costs");
  runtime_.collectively([&] { add_up(runtime_.ranks(), record.costs); });
  const std::filesystem::path maps = maps_path(path);
  record.maps_file = maps.filename().string();
  record.maps_hash = write_maps(runtime_, maps.string());
  runtime_.enter("OP2_MODEL");
  runtime_.do_on_root([&] { comm::write_file(path, core::as_json(record)); });
}

}  // namespace

std::unique_ptr<core::Listener> make_model_log(Runtime& runtime) {
  return std::make_unique<ModelLog>(runtime);
}

}  // namespace op2::api
