// SPDX-License-Identifier: BSD-3-Clause
// op_partition: selects a partitioner by name, computes owners, and reports the result.
#include <algorithm>
#include <string>
#include <vector>

#include <op2/runtime.hpp>

#include <api/report.hpp>
#include <api/session.hpp>
#include <comm/partition/partition.hpp>
#include <core/clock.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/measurements/run_record.hpp>
#include <core/text.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

using comm::Partitioner;
using comm::PartitionInput;

/// What op_partition is to partition, and how.
struct Request {
  const Partitioner *wanted, *used;
  op_set set;
  op_map map;
  op_dat values;    ///< coordinates or ranks
  std::string why;  ///< another partitioner than the requested one is used; empty: it is not
};

std::string word_of(const char* text) {
  return core::lower_case(text == nullptr ? "" : text);
}

bool is_replaced(const std::string& library) {
  return library == "parmetis" || library == "kahip";
}

/// The registered name for OP2's pair of a library and a routine.
std::string registered_name(const std::string& library, const std::string& routine) {
  if (library == "inertial") return "rcb";
  if (library != "ptscotch" && !is_replaced(library)) return library;
  return routine.starts_with("geom") && routine != "geomkway" ? "rcb" : "ptscotch";
}

const Partitioner* partitioner_named(const api::Runtime& runtime, const std::string& library,
                                     const std::string& routine) {
  const Partitioner* found =
      comm::find_partitioner(runtime.partitioners, registered_name(library, routine));
  if (found == nullptr)
    core::fail(
        ErrorCode::bad_option,
        "unknown library: op_partition, \"{}\"; use {} (PARMETIS, KAHIP and INERTIAL are accepted)",
        library, comm::names_of(runtime.partitioners));
  return found;
}

bool are_coordinates(op_dat dat) {
  return dat != nullptr && core::record_of(dat)->are_coordinates();
}

bool are_ranks(op_dat dat) {
  return dat != nullptr && core::record_of(dat)->value_type == Type::i32 && dat->dim == 1 &&
         !core::record_of(dat)->opaque;
}

bool has_input(const Request& request, const Partitioner& partitioner) {
  switch (partitioner.input) {
    case PartitionInput::map:
      return request.map != nullptr;
    case PartitionInput::coordinates:
      return are_coordinates(request.values);
    case PartitionInput::ranks:
      return are_ranks(request.values);
    default:
      return true;
  }
}

const char* missing_input(const Partitioner& partitioner) {
  return partitioner.input == PartitionInput::map ? "needs a map"
                                                  : "needs coordinates (double, dim 1 to 3)";
}

/// Replaces a partitioner that cannot be used by bisection or, without coordinates, by blocks.
void fall_back(const api::Runtime& runtime, Request& request, const std::string& why) {
  const Partitioner* bisection = comm::find_partitioner(runtime.partitioners, "rcb");
  const bool can_bisect = request.used != bisection && has_input(request, *bisection);
  request.used = can_bisect ? bisection : comm::find_partitioner(runtime.partitioners, "block");
  request.why += (request.why.empty() ? "" : "; ") + why;
}

/// The request, with a replacement if the arguments do not suffice for the requested partitioner.
Request request_of(const api::Runtime& runtime, const std::string& library,
                   const std::string& routine, op_set set, op_map map, op_dat values) {
  const Partitioner* wanted = partitioner_named(runtime, library, routine);
  Request request{wanted, wanted, set, map, values, ""};
  if (is_replaced(library)) request.why = fmt::format("{} is replaced", library);
  if (has_input(request, *wanted)) return request;
  if (wanted->input == PartitionInput::ranks)
    core::fail(ErrorCode::bad_type,
               "no dat of one int per element: op_partition, {}; pass one that gives the rank that "
               "is to own each element",
               wanted->name == "external" ? "EXTERNAL" : wanted->title);
  fall_back(runtime, request, fmt::format("{} {}", wanted->title, missing_input(*wanted)));
  return request;
}

op_set divided_set(const api::Runtime& runtime, const Request& request) {
  const PartitionInput input = request.used->input;
  if (input == PartitionInput::map) return request.map->to;
  if (input != PartitionInput::nothing) return request.values->set;
  if (request.set != nullptr) return request.set;
  return request.map != nullptr ? request.map->to : runtime.mesh.sets().front().get();
}

comm::PartitionTask task_of(const api::Runtime& runtime, const comm::BlockMesh& mesh,
                            const Request& request) {
  comm::PartitionTask task{runtime.ranks(), mesh, divided_set(runtime, request)->index};
  const PartitionInput input = request.used->input;
  task.threads_allowed = runtime.mpi != nullptr && runtime.mpi->threads_allowed;
  if (input == PartitionInput::map) task.map = request.map->index;
  if (input != PartitionInput::coordinates && input != PartitionInput::ranks) return task;
  const core::Dat& dat = *core::record_of(request.values);
  const auto count =
      static_cast<std::size_t>(dat.on().declared) * static_cast<std::size_t>(dat.dim);
  task.dim = dat.dim;
  task.values_name = dat.name_storage;
  if (input == PartitionInput::coordinates)
    task.coordinates = {reinterpret_cast<const double*>(dat.rows.host_read()), count};
  else
    task.ranks = {reinterpret_cast<const std::int32_t*>(dat.rows.host_read()), count};
  return task;
}

/// Owners of one set.
struct Primary {
  int set;
  comm::Owners owners;
};

/// Collective. Falls back to another partitioner if the requested one is not available.
Primary primary_owners(api::Runtime& runtime, const comm::BlockMesh& mesh, Request& request) {
  for (;;) {
    const comm::PartitionTask task = task_of(runtime, mesh, request);
    std::string reason;
    if (auto owners = request.used->divide(task, reason)) return {task.set, std::move(*owners)};
    fall_back(runtime, request, reason);
  }
}

/// Numbers of this rank's executed halo rows, read halo rows, and neighbours.
std::vector<std::int64_t> halo_size(const comm::HaloPlan& plan, int set) {
  const comm::IndexMap& of = plan.sets[set];
  std::vector<int> neighbours;
  for (const comm::HaloLevel& level : of.levels)
    for (const comm::ImportRange& run : level.imports) neighbours.push_back(run.rank);
  std::sort(neighbours.begin(), neighbours.end());
  const auto last = std::unique(neighbours.begin(), neighbours.end());
  return {of.layout.within(1) - of.layout.owned(), of.layout.within(2) - of.layout.within(1),
          last - neighbours.begin()};
}

/// Collective; a line per set and per map.
std::string describe_partition(api::Runtime& runtime, const Request& request,
                               const comm::PartitionQuality& quality) {
  comm::Communicator& ranks = runtime.ranks();
  std::string text = fmt::format("partition of {} ranks by {}{}{}\n", ranks.size(),
                                 request.used->title, request.why.empty() ? "" : ": ", request.why);
  for (const auto& set : runtime.mesh.sets()) {
    const auto& q = quality.sets[set->index];
    comm::WordReduction most{{}, {}, halo_size(runtime.rows.halo_plan(), set->index)};
    ranks.reduce(most, "comparing halos");
    const double mean = static_cast<double>(q.elements) / ranks.size();
    text += fmt::format(
        "  set {:<12} {:>10} elements, {:>8} to {:>8} per rank (imbalance {:.3f}); at most {} "
        "executed and {} read halo rows, {} neighbours\n",
        set->name, q.elements, q.smallest, q.largest,
        q.elements > 0 ? static_cast<double>(q.largest) / mean : 1.0, most.maxima[0],
        most.maxima[1], most.maxima[2]);
  }
  for (const auto& map : runtime.mesh.maps())
    text += fmt::format("  map {:<12} {:>10} rows cut\n", map->name, quality.cut[map->index]);
  const comm::HaloMemory memory = api::halo_memory_of_ranks(runtime);
  return text +
         fmt::format("  halos of one layer: at most {:.3f} MB of rows and {:.3f} MB of lists\n",
                     1e-6 * static_cast<double>(memory.rows),
                     1e-6 * static_cast<double>(memory.lists));
}

/// @return the report. Collective.
std::string partition(api::Runtime& runtime, Request& request) {
  const comm::BlockMesh mesh = runtime.rows.declared_mesh();
  Primary primary = primary_owners(runtime, mesh, request);
  auto owners = comm::inherit_owners(runtime.ranks(), mesh, primary.set, std::move(primary.owners));
  const comm::PartitionQuality quality = comm::quality_of(runtime.ranks(), mesh, owners);
  runtime.rows.distribute(mesh, std::move(owners));
  return describe_partition(runtime, request, quality);
}

/// @return the report; empty on one rank, which has everything. Collective.
std::string distribute(api::Runtime& runtime, Request& request) {
  if (!runtime.alone()) return runtime.collectively([&] { return partition(runtime, request); });
  runtime.settle();
  return "";
}

}  // namespace

void op_partition(const char* library, const char* routine, op_set set, op_map map,
                  op_dat coordinates) {
  auto& runtime = api::usable();
  const core::InPart part(&runtime.measurements.profile, core::Part::partition);
  if (set != nullptr) core::check_handle(runtime.mesh, "op_partition, set", set);
  if (map != nullptr) core::check_handle(runtime.mesh, "op_partition, map", map);
  if (coordinates != nullptr)
    core::check_handle(runtime.mesh, "op_partition, coordinates", coordinates);
  const std::string& forced = runtime.options.partitioner;
  Request request = request_of(runtime, forced.empty() ? word_of(library) : forced,
                               forced.empty() ? word_of(routine) : "", set, map, coordinates);
  runtime.flush();
  runtime.enter("op_partition by {}", request.used->title);
  const core::Progress progress(runtime.log,
                                fmt::format("op_partition by {}", request.used->title));
  runtime.return_to_declared();
  runtime.partitioned = true;
  if (runtime.mesh.sets().empty()) return;
  runtime.decide_order(coordinates);
  const auto begin = core::Clock::now();
  const std::string text = distribute(runtime, request);
  for (const auto& listener : runtime.measurements.listeners)
    listener->partitioned({request.used->name, divided_set(runtime, request)->index,
                           request.map == nullptr ? -1 : request.map->index,
                           core::seconds_since(begin)});
  if (text.empty()) return;
  if (request.used != request.wanted)
    runtime.log.warning(fmt::format("op_partition: {} instead of {}: {}", request.used->title,
                                    request.wanted->title, request.why));
  if (runtime.options.dump.contains("partition") && runtime.ranks().is_root())
    runtime.log.dump(text);
  else
    runtime.log.info(text);
}
