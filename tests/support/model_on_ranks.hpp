// SPDX-License-Identifier: BSD-3-Clause
// A random model mesh and its chains on the real engine, on every rank of a communicator; kernels
// are the hash functions of halo_model.hpp as host functions.
#pragma once

#include <cstring>
#include <map>
#include <string>

#include <op2/par_loop.hpp>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/records.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/measurements/run_recorder.hpp>
#include <core/options.hpp>
#include <core/queue.hpp>
#include <core/thread_pool.hpp>
#include <jit/jit.hpp>
#include <sched/analysis/chain_analysis.hpp>
#include <sched/engine.hpp>
#include <sched/reductions.hpp>
#include <support/model_counts.hpp>
#include <support/random_chains.hpp>

namespace op2::test {

/// The "host function" of a model loop is the address of the loop itself.
inline void call_model_loop(void (*function)(), char* const* arguments) {
  const auto& loop = *reinterpret_cast<const ModelLoop*>(function);
  const std::size_t count = loop.args.size();
  const auto value = [&](std::size_t k) { return reinterpret_cast<Value*>(arguments[k]); };
  Value hash =
      mixed(loop.salt, static_cast<Value>(*reinterpret_cast<const int*>(arguments[count])));
  for (std::size_t k = 0; k < count; ++k) {
    const ModelArg& arg = loop.args[k];
    const bool reads =
        arg.access == OP_READ || arg.access == OP_RW || (arg.access == OP_INC && arg.map < 0);
    if (reads) hash = mixed(hash, *value(k));
  }
  for (std::size_t k = 0; k < count; ++k) {
    const op_access access = loop.args[k].access;
    if (access == OP_READ || (loop.args[k].keeps && hash % 2 == 0)) continue;
    *value(k) = mixed(hash, k) + (access == OP_INC ? *value(k) : 0);
  }
  if (loop.reduction) *value(count + 1) += mixed(hash, count);
}

/// What sources would prove, if model loops had any.
inline std::vector<jit::KernelFacts> prove_model_loops(std::span<const jit::LoopRequest> requests) {
  std::vector<jit::KernelFacts> facts;
  for (const jit::LoopRequest& request : requests) {
    const auto& loop = *reinterpret_cast<const ModelLoop*>(request.origins.front().kernel->host);
    facts.emplace_back(request.nest.calls.front().args.size());
    for (std::size_t k = 0; k < loop.args.size(); ++k)
      facts.back()[k].writes_all = loop.args[k].access == OP_WRITE && !loop.args[k].keeps;
  }
  return facts;
}

/// One rank's view. All members are collective.
class ModelOnRanks {
 public:
  ModelOnRanks(comm::Communicator& ranks, const ModelMesh& model, const Values& values,
               const core::Options& options, int threads, Random& random)
      : ranks_(ranks),
        model_(model),
        options_(options),
        log_(core::LogLevel::off),
        pool_(threads, topology_),
        jit_(jit::JitOptions{}, log_),
        rows_(mesh_, ranks, {.renumber = options.renumber}),
        engine_({options_, topology_, pool_, rows_, jit_, nullptr, nullptr, measurements_, log_,
                 &prove_model_loops}) {
    auto recorder = std::make_unique<core::RunRecorder>([&ranks] { return ranks.seconds(); });
    recorder_ = recorder.get();
    measurements_.listeners.push_back(std::move(recorder));
    declare(values, random);
  }

  void distribute(const std::vector<std::vector<int>>& owner) {
    engine_.forget_halos();
    rows_.return_to_declared();
    if (ranks_.size() == 1) return;
    std::vector<comm::Owners> owners;
    for (std::size_t s = 0; s < sets_.size(); ++s)
      owners.emplace_back(owner[s].begin() + sets_[s]->first,
                          owner[s].begin() + sets_[s]->first + sets_[s]->declared);
    rows_.distribute(rows_.declared_mesh(), std::move(owners));
  }

  /// @return the reductions of the chain
  std::vector<Value> run(const ModelChain& chain) {
    std::vector<core::Global*> sums;
    for (const ModelLoop& loop : chain) queue_loop(loop, sums);
    engine_.flush(queue_, mesh_);
    std::vector<Value> values;
    sched::combine(sums, ranks_);
    for (const core::Global* sum : sums)
      values.push_back(*reinterpret_cast<const Value*>(sum->value.host_read()));
    poison();
    return values;
  }

  /// Rows that differ from `expected` although owned or claimed valid, and declared values that do.
  int wrong_values(const Values& expected) {
    int wrong = 0;
    for (std::size_t d = 0; d < dats_.size(); ++d) {
      const core::Dat& dat = *dats_[d];
      if (engine_.validity(dat) == core::no_level) continue;
      const auto* rows = reinterpret_cast<const Value*>(dat.rows.host_read());
      for (std::int32_t row = 0; row < claimed_rows(dat); ++row)
        wrong += rows[row] != expected[d][id_of(dat, row)];
      comm::Bytes storage;
      const auto* declared =
          reinterpret_cast<const Value*>(rows_.declared_rows(dat, storage).data());
      for (std::int32_t k = 0; k < dat.on().declared; ++k)
        wrong += declared[k] != expected[d][static_cast<std::size_t>(dat.on().first + k)];
    }
    return wrong;
  }

  /// On several ranks: what a program does that writes all declared values itself.
  void set_values(const Values& values) {
    for (std::size_t d = 0; d < dats_.size(); ++d) {
      rows_.set_declared_rows(*dats_[d], values[d].data() + dats_[d]->on().first);
      engine_.forget_halo(*dats_[d]);
    }
  }

  core::Level validity(std::size_t dat) const { return engine_.validity(*dats_[dat]); }
  /// The lowest level on which loops may have interiors; the same for all sets.
  core::Level deepest() const { return sets_.front()->layout->limit; }
  const op_chain_statistics& statistics() const { return engine_.statistics(); }

  /// What OP2_MODEL would write, without the maps.
  core::RunRecord record() const {
    core::RunRecord record;
    for (const auto& set : mesh_.sets())
      record.sets.push_back({set->name_storage, set->global_size});
    for (const auto& map : mesh_.maps())
      record.maps.push_back({map->name_storage, map->from->index, map->to->index, map->dim});
    for (const auto& dat : mesh_.dats())
      record.dats.push_back({dat->name_storage, dat->set->index, dat->size});
    record.keep_dead = !options_.eliminate_dead_loops;
    record.depth_max = options_.depth_max;
    recorder_->put(measurements_.table, record);
    return record;
  }

 private:
  void declare(const Values& values, Random& random) {
    for (std::size_t s = 0; s < model_.set_sizes.size(); ++s) {
      std::vector<int> cuts{0, model_.set_sizes[s]};
      for (int r = 1; r < ranks_.size(); ++r) cuts.push_back(pick(random, 0, model_.set_sizes[s]));
      std::sort(cuts.begin(), cuts.end());
      const auto mine = static_cast<std::size_t>(ranks_.rank());
      const std::string name = "set" + std::to_string(s);
      const core::DeclaredRange block = rows_.block_of(cuts[mine + 1] - cuts[mine], name.c_str());
      sets_.push_back(&mesh_.add_set(block, name.c_str()));
    }
    for (std::size_t m = 0; m < model_.maps.size(); ++m) {
      const ModelMap& map = model_.maps[m];
      core::Set& from = *sets_[static_cast<std::size_t>(map.from)];
      std::vector<std::int32_t> entries;
      for (std::int64_t k = from.first; k < from.first + from.declared; ++k)
        for (const int target : map.targets[static_cast<std::size_t>(k)]) entries.push_back(target);
      const int arity = map.targets.empty() ? 1 : static_cast<int>(map.targets[0].size());
      maps_.push_back(&mesh_.add_map(&from, sets_[static_cast<std::size_t>(map.to)], arity,
                                     entries.data(), ("map" + std::to_string(m)).c_str()));
    }
    for (std::size_t d = 0; d < values.size(); ++d) {
      core::Set& set = *sets_[static_cast<std::size_t>(model_.dat_sets[d])];
      dats_.push_back(&mesh_.add_dat(&set, 1, Type::u64, values[d].data() + set.first,
                                     ("dat" + std::to_string(d)).c_str(), false));
    }
  }

  /// A loop as the library knows it. Equal loops share one, so that their plans are found again.
  struct KnownLoop {
    ModelLoop loop;
    op_kernel_core kernel;
    core::Global* sum;  ///< null if it has none
  };
  KnownLoop& known(const ModelLoop& loop) {
    const auto [entry, is_new] = loops_.try_emplace(loop.salt, KnownLoop{loop, {}, nullptr});
    KnownLoop& known = entry->second;
    const Value zero = 0;
    if (is_new) {
      known.kernel = {
          "kernel",         "",      "", 0, false, reinterpret_cast<void (*)()>(&known.loop),
          &call_model_loop, nullptr, -1};
      if (loop.reduction) known.sum = &mesh_.add_global(1, Type::u64, &zero, "sum");
    }
    known.loop.salt = loop.salt;
    if (known.sum != nullptr)
      std::memcpy(known.sum->value.host_overwrite().get(), &zero, sizeof zero);
    return known;
  }

  void queue_loop(const ModelLoop& loop, std::vector<core::Global*>& sums) {
    KnownLoop& known_loop = known(loop);
    std::vector<op_arg> args;
    for (const ModelArg& arg : loop.args) {
      op_dat dat = dats_[static_cast<std::size_t>(arg.dat)];
      args.push_back(
          arg.map < 0
              ? op_arg_dat(dat, arg.access)
              : op_arg_dat(dat, arg.column, maps_[static_cast<std::size_t>(arg.map)], arg.access));
    }
    args.push_back(op_arg_idx(-1, OP_ID));
    if (loop.reduction) {
      sums.push_back(known_loop.sum);
      args.push_back(op_arg_gbl(sums.back(), OP_INC));
    }
    queue_.push_loop(&known_loop.kernel, "loop", sets_[static_cast<std::size_t>(loop.set)], args);
  }

  std::int32_t claimed_rows(const core::Dat& dat) const {
    const core::Set& set = dat.on();
    return set.within(std::min(std::max(engine_.validity(dat), 0), set.layout->highest()));
  }

  static std::size_t id_of(const core::Dat& dat, std::int32_t row) {
    const core::Set& set = dat.on();
    return static_cast<std::size_t>(
        set.global_indices.empty() ? row : set.global_indices[static_cast<std::size_t>(row)]);
  }

  /// Rows that nobody claims to be valid become noise, and what kernels find in the program.
  void poison() {
    for (auto& [salt, known] : loops_) known.loop.salt = noise_();
    for (core::Dat* dat : dats_) {
      const core::HostWriter rows = dat->rows.host_write();
      for (std::int32_t row = claimed_rows(*dat); row < dat->on().rows(); ++row)
        reinterpret_cast<Value*>(rows.get())[row] = noise_();
    }
  }

  comm::Communicator& ranks_;
  const ModelMesh& model_;
  core::Options options_;
  core::Log log_;
  core::Measurements measurements_;
  core::Mesh mesh_;
  core::Queue queue_;
  const core::Topology topology_{{{0}}};
  core::ThreadPool pool_;
  jit::Jit jit_;
  comm::DistributedMesh rows_;
  std::map<Value, KnownLoop> loops_;  ///< by salt
  core::RunRecorder* recorder_;       ///< listens
  sched::Engine engine_;              ///< may have work that calls the kernels until it ends
  Random noise_{42};
  std::vector<core::Set*> sets_;
  std::vector<core::Map*> maps_;
  std::vector<core::Dat*> dats_;
};

/// What the checks of one mesh have found.
struct ModelOutcome {
  int chains = 0;
  int wrong = 0;
  int sliced = 0;  ///< chains whose counts are not those of levels
};

/// Sets mostly follow a map that could be local.
inline void choose_owners(Random& random, ModelMesh& mesh) {
  std::vector<int> cuts;
  for (int rank = 1; rank < mesh.ranks; ++rank) cuts.push_back(pick(random, 0, 100));
  const bool scattered = chance(random, 30);
  mesh.owner.clear();
  for (const int size : mesh.set_sizes) {
    mesh.owner.push_back(random_owners(random, size, cuts));
    if (scattered)
      for (int& rank : mesh.owner.back()) rank = pick(random, 0, mesh.ranks - 1);
  }
  for (const ModelMap& map : mesh.maps)
    if (map.from != map.to && !map.targets.empty() && map.targets[0].size() == 1 &&
        chance(random, 85))
      inherit_owners(mesh, map);
}

inline core::Options options_for(Random& random) {
  core::Options options;
  options.jit = core::JitMode::off;
  options.chain = chance(random, 75) ? core::ChainMode::on : core::ChainMode::off;
  options.exchange = chance(random, 75) ? core::Grouping::grouped : core::Grouping::separate;
  options.renumber = chance(random, 50) ? core::RenumberMode::on : core::RenumberMode::off;
  options.depth_max = one_of(random, {1, 2, 3, 6, 6, 30});
  options.eliminate_dead_loops = !chance(random, 10);
  options.slice = chance(random, 50) ? core::SliceMode::always : core::SliceMode::off;
  return options;
}

/// A random mesh with a few chains in a row, checked after each. Collective; equal seeds on every
/// rank.
inline ModelOutcome check_model(comm::Communicator& ranks, unsigned seed) {
  Random random(seed);
  ModelMesh mesh = chance(random, 50) ? random_mesh_with_local_maps(random) : random_mesh(random);
  mesh.ranks = ranks.size();
  choose_owners(random, mesh);
  Values expected = random_values(random, mesh);
  core::Options options = options_for(random);
  if (seed % 5 == 0) {  // schedules change from flush to flush
    options.chain = core::ChainMode::automatic;
    options.schedules = static_cast<int>(seed) + 1;
  }
  ModelOnRanks real(ranks, mesh, expected, options, one_of(random, {1, 1, 2}), random);
  real.distribute(mesh.owner);
  ModelOutcome outcome;
  for (int left = pick(random, 1, 4); left > 0; --left) {
    ModelChain chain = random_chain(random, mesh);
    const bool whole = options.chain == core::ChainMode::on && options.depth_max == 30 &&
                       options.exchange == core::Grouping::grouped && options.eliminate_dead_loops;
    const int repetitions = chance(random, 30) ? 2 : 1;
    for (int k = 0; k < repetitions; ++k) {
      std::vector<core::Level> valid;
      for (std::size_t d = 0; d < mesh.dat_sets.size(); ++d) valid.push_back(real.validity(d));
      const op_chain_statistics before = real.statistics();
      const auto sums = real.run(chain);
      outcome.wrong += sums != run_sequentially(mesh, chain, expected);
      outcome.wrong += real.wrong_values(expected);
      ++outcome.chains;
      if (!whole || ranks.size() == 1) continue;
      auto descriptions = descriptors(mesh, chain);
      for (core::ChainLoop& loop : descriptions)
        loop.reduction =
            loop.reduction || std::all_of(loop.args.begin(), loop.args.end(),
                                          [](const auto& arg) { return arg.access == OP_READ; });
      const std::vector<core::Level> wanted(valid.size(), 0);
      ModelLevels levels(mesh);
      const core::ChainLevels plan = sched::analyse_chain(descriptions, valid, wanted);
      ModelCounts counts = count_model(mesh, levels, chain, plan, valid);
      if (options.slice == core::SliceMode::always) {
        const ModelCounts exact = count_sliced(mesh, levels, chain, plan, valid, counts);
        outcome.sliced += exact != counts ? 1 : 0;
        counts = exact;
      }
      const auto& after = real.statistics();
      ModelCounts sum;
      for (const ModelCounts& of : comm::gather_records(
               ranks,
               ModelCounts{after.messages - before.messages, after.packed_rows - before.packed_rows,
                           after.interior_iterations + after.boundary_iterations -
                               before.interior_iterations - before.boundary_iterations}))
        sum = {sum.messages + of.messages, sum.rows + of.rows, sum.iterations + of.iterations};
      outcome.wrong += sum != counts;
    }
    if (chance(random, 20)) {
      choose_owners(random, mesh);
      real.distribute(mesh.owner);
    }
  }
  return outcome;
}

}  // namespace op2::test
