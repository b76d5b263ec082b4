// SPDX-License-Identifier: BSD-3-Clause
// op_partition: from the names of partitioners to owners, and a report of what came out.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include <op2/runtime.hpp>

#include <api/report.hpp>
#include <api/session.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/partition.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>

using namespace op2;

namespace {

enum class Method { kway, bisection, block, random, external };

/// What op_partition is to divide, and by what.
struct Request {
  Method wanted, method;
  op_map map;       ///< of kway
  op_dat values;    ///< coordinates, or ranks of external
  std::string why;  ///< another method than the one that was asked for; empty: the same
};

std::string lower_case(const char* text) {
  std::string word = text == nullptr ? "" : text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

Method method_named(const std::string& library, const std::string& routine) {
  const bool replaced = library == "parmetis" || library == "kahip";
  if ((library == "ptscotch" || replaced) && routine.starts_with("geom") && routine != "geomkway")
    return Method::bisection;
  if (library == "ptscotch" || replaced) return Method::kway;
  if (library == "inertial" || library == "rcb") return Method::bisection;
  if (library == "block") return Method::block;
  if (library == "random") return Method::random;
  if (library == "external") return Method::external;
  core::fail(ErrorCode::bad_option,
             "op_partition: unknown library \"{}\"; use PTSCOTCH, RCB, BLOCK, RANDOM or EXTERNAL "
             "(PARMETIS, KAHIP and INERTIAL are accepted)",
             library);
}

void fall_back(Request& request, Method method, const std::string& why) {
  request.method = method;
  request.why += (request.why.empty() ? "" : "; ") + why;
}

bool are_coordinates(op_dat dat) {
  return dat != nullptr && core::record_of(dat)->value_type == Type::f64 && dat->dim <= 3;
}

/// What can be done with the arguments that there are.
Request request_of(const std::string& library, const std::string& routine, op_map map,
                   op_dat values) {
  const Method wanted = method_named(library, routine);
  Request request{wanted, wanted, map, values, ""};
  if (library == "parmetis" || library == "kahip")
    request.why = fmt::format("{} is replaced", library);
  if (request.method == Method::kway && map == nullptr)
    fall_back(request, Method::bisection, "k-way needs a map");
  if (request.method == Method::bisection && !are_coordinates(values))
    fall_back(request, Method::block, "bisection needs coordinates (double, dim 1 to 3)");
  if (request.method == Method::external &&
      (values == nullptr || core::record_of(values)->value_type != Type::i32 || values->dim != 1))
    core::fail(ErrorCode::bad_type,
               "op_partition: EXTERNAL needs a dat of one int per element: the rank that is to own "
               "it");
  return request;
}

/// Owners of one set.
struct Primary {
  int set;
  comm::Owners owners;
};

comm::Owners external_owners(api::Runtime& runtime, const core::Dat& dat) {
  const auto* ranks = reinterpret_cast<const std::int32_t*>(dat.rows.get());
  comm::Owners owners(ranks, ranks + dat.on().declared);
  runtime.check_together([&] {
    for (std::size_t k = 0; k < owners.size(); ++k)
      if (owners[k] < 0 || owners[k] >= runtime.ranks().size())
        core::fail(ErrorCode::bad_range, "op_partition: dat '{}'[{}] = {} is no rank of 0 .. {}",
                   dat.name_storage, dat.on().first + static_cast<std::int64_t>(k), owners[k],
                   runtime.ranks().size() - 1);
  });
  return owners;
}

Primary primary_owners(api::Runtime& runtime, const comm::BlockMesh& mesh, op_set set,
                       Request& request) {
  comm::Communicator& ranks = runtime.ranks();
  if (request.method == Method::kway) {
    std::string reason;
    const bool threads = runtime.mpi != nullptr && runtime.mpi->threads_allowed;
    if (auto owners = comm::kway_owners(ranks, mesh, request.map->index, threads, reason))
      return {request.map->to->index, std::move(*owners)};
    fall_back(request, are_coordinates(request.values) ? Method::bisection : Method::block, reason);
  }
  const bool by_values = request.method == Method::bisection || request.method == Method::external;
  const op_set divided = by_values                ? request.values->set
                         : set != nullptr         ? set
                         : request.map != nullptr ? request.map->to
                                                  : runtime.mesh.sets().front().get();
  const comm::Blocks& blocks = mesh.sets[static_cast<std::size_t>(divided->index)];
  switch (request.method) {
    case Method::bisection: {
      const core::Dat& dat = *core::record_of(request.values);
      const auto count =
          static_cast<std::size_t>(dat.on().declared) * static_cast<std::size_t>(dat.dim);
      return {divided->index,
              comm::rcb_owners(ranks, blocks,
                               {reinterpret_cast<const double*>(dat.rows.get()), count}, dat.dim)};
    }
    case Method::external:
      return {divided->index, external_owners(runtime, *core::record_of(request.values))};
    case Method::random:
      return {divided->index, comm::random_owners(blocks, ranks.rank(), ranks.size())};
    default:
      return {divided->index, comm::block_owners(blocks, ranks.rank())};
  }
}

const char* name_of(Method method) {
  constexpr const char* names[] = {"PT-Scotch k-way", "coordinate bisection", "blocks", "random",
                                   "external"};
  return names[static_cast<int>(method)];
}

/// Halo rows and neighbours of this rank.
struct HaloSize {
  std::int64_t executed, read, neighbours;
};

HaloSize halo_size(const comm::HaloPlan& plan, int set) {
  const comm::IndexMap& of = plan.sets[static_cast<std::size_t>(set)];
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
  std::string text =
      fmt::format("partition of {} ranks by {}{}{}\n", ranks.size(), name_of(request.method),
                  request.why.empty() ? "" : ": ", request.why);
  for (const auto& set : runtime.mesh.sets()) {
    const auto& q = quality.sets[static_cast<std::size_t>(set->index)];
    HaloSize most{0, 0, 0};
    for (const HaloSize& of :
         comm::gather_records(ranks, halo_size(runtime.rows.halo_plan(), set->index)))
      most = {std::max(most.executed, of.executed), std::max(most.read, of.read),
              std::max(most.neighbours, of.neighbours)};
    const double mean = static_cast<double>(q.elements) / ranks.size();
    text += fmt::format(
        "  set {:<12} {:>10} elements, {:>8} to {:>8} per rank (imbalance {:.3f}); at most {} "
        "executed and {} read halo rows, {} neighbours\n",
        set->name, q.elements, q.smallest, q.largest,
        q.elements > 0 ? static_cast<double>(q.largest) / mean : 1.0, most.executed, most.read,
        most.neighbours);
  }
  for (const auto& map : runtime.mesh.maps())
    text += fmt::format("  map {:<12} {:>10} rows cut\n", map->name,
                        quality.cut[static_cast<std::size_t>(map->index)]);
  const comm::HaloMemory memory = api::halo_memory_of_ranks(runtime);
  return text + fmt::format("  halos of one layer: at most {:.3f} MB of rows and {:.3f} MB aside\n",
                            1e-6 * static_cast<double>(memory.rows),
                            1e-6 * static_cast<double>(memory.aside));
}

/// @return the report. Collective.
std::string partition(api::Runtime& runtime, op_set set, Request& request) {
  comm::BlockMesh mesh = runtime.rows.declared_mesh();
  Primary primary = primary_owners(runtime, mesh, set, request);
  auto owners = comm::inherit_owners(runtime.ranks(), mesh, primary.set, std::move(primary.owners));
  const comm::PartitionQuality quality = comm::quality_of(runtime.ranks(), mesh, owners);
  runtime.rows.distribute(std::move(mesh), std::move(owners));
  return describe_partition(runtime, request, quality);
}

}  // namespace

void op_partition(const char* library, const char* routine, op_set set, op_map map,
                  op_dat coordinates) {
  auto& runtime = api::usable();
  if (set != nullptr) core::check_handle(runtime.mesh, "op_partition, set", set);
  if (map != nullptr) core::check_handle(runtime.mesh, "op_partition, map", map);
  if (coordinates != nullptr)
    core::check_handle(runtime.mesh, "op_partition, coordinates", coordinates);
  const std::string& forced = runtime.options.partitioner;
  Request request = request_of(forced.empty() ? lower_case(library) : forced,
                               forced.empty() ? lower_case(routine) : "", map, coordinates);
  runtime.flush();
  runtime.enter("op_partition by {}", name_of(request.method));
  runtime.return_to_declared();
  if (runtime.mesh.sets().empty()) return;
  if (runtime.alone()) return runtime.settle();
  const std::string text = runtime.collectively([&] { return partition(runtime, set, request); });
  if (request.method != request.wanted)
    runtime.log.warning(fmt::format("op_partition: {} instead of {}: {}", name_of(request.method),
                                    name_of(request.wanted), request.why));
  if (runtime.options.dump.partition && runtime.ranks().is_root())
    runtime.log.dump(text);
  else
    runtime.log.info(text);
}
