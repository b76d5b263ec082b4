// SPDX-License-Identifier: BSD-3-Clause
// A distributed mesh simulated in one process from the definitions alone: levels as element sets
// found by brute force, kernels as hash functions on integers modulo 2^64, so that increments are
// exactly associative and one missing, extra or doubled iteration changes the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <core/levels.hpp>
#include <sched/analysis/chain_analysis.hpp>

namespace op2::test {

using Value = std::uint64_t;
using Values = std::vector<std::vector<Value>>;  ///< [dat][element], global numbers
using Members = std::vector<std::vector<char>>;  ///< [set][element]: is it in?
using Random = std::mt19937_64;

struct ModelMap {
  int from, to;
  std::vector<std::vector<int>> targets;  ///< [element of from][column]
  bool injective;                         ///< no target occurs twice
};

struct ModelMesh {
  std::vector<int> set_sizes;
  std::vector<ModelMap> maps;
  std::vector<int> dat_sets;            ///< set of each dat
  std::vector<std::vector<int>> owner;  ///< [set][element]: rank
  int ranks;
};

struct ModelArg {
  int dat, map, column;  ///< map -1: direct
  op_access access;
  bool keeps = false;  ///< OP_WRITE that leaves some rows as they are
};

struct ModelLoop {
  int set;
  std::vector<ModelArg> args;
  Value salt;  ///< makes its kernel different from others
  bool reduction;
};
using ModelChain = std::vector<ModelLoop>;

/// Whether the set has a local map, see core::ChainLoop.
inline bool has_local_map(const ModelMesh& mesh, int set) {
  int maps = 0;
  for (const ModelMap& map : mesh.maps) {
    if (map.to == set) return false;
    if (map.from != set) continue;
    ++maps;
    for (std::size_t source = 0; source < map.targets.size(); ++source)
      if (map.targets[source].size() != 1 ||
          mesh.owner[map.to][map.targets[source][0]] != mesh.owner[set][source])
        return false;
  }
  return maps == 1;
}

/// Gives each element of a set the rank of its first target.
inline void inherit_owners(ModelMesh& mesh, const ModelMap& map) {
  for (std::size_t source = 0; source < map.targets.size(); ++source)
    mesh.owner[map.from][source] = mesh.owner[map.to][map.targets[source][0]];
}

inline std::vector<core::ChainLoop> descriptors(const ModelMesh& mesh, const ModelChain& chain) {
  std::vector<core::ChainLoop> result;
  for (const ModelLoop& loop : chain) {
    result.push_back({{}, loop.reduction});
    result.back().local_map = has_local_map(mesh, loop.set);
    result.back().set = loop.set;
    for (const ModelArg& arg : loop.args)
      result.back().args.push_back({arg.dat, arg.map, arg.keeps ? OP_RW : arg.access});
  }
  return result;
}

inline int row_of(const ModelMesh& mesh, const ModelArg& arg, int element) {
  return arg.map < 0 ? element : mesh.maps[arg.map].targets[element][arg.column];
}

/// Mixes one more value into a hash.
inline Value mixed(Value hash, Value value) {
  hash = (hash ^ (value + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 29);
}

/// Runs one iteration; yields its contribution to the loop's reduction.
inline Value run_iteration(const ModelMesh& mesh, const ModelLoop& loop, int element,
                           Values& values) {
  Value hash = mixed(loop.salt, element);
  for (const ModelArg& arg : loop.args) {
    const bool reads =
        arg.access == OP_READ || arg.access == OP_RW || (arg.access == OP_INC && arg.map < 0);
    if (reads) hash = mixed(hash, values[arg.dat][row_of(mesh, arg, element)]);
  }
  for (std::size_t k = 0; k < loop.args.size(); ++k) {
    const ModelArg& arg = loop.args[k];
    if (arg.access == OP_READ || (arg.keeps && hash % 2 == 0)) continue;
    Value& target = values[arg.dat][row_of(mesh, arg, element)];
    target = mixed(hash, k) + (arg.access == OP_INC ? target : 0);
  }
  return mixed(hash, loop.args.size());
}

/// Runs the chain loop by loop over all elements; yields one number per loop that reduces.
inline std::vector<Value> run_sequentially(const ModelMesh& mesh, const ModelChain& chain,
                                           Values& values) {
  std::vector<Value> reductions;
  for (const ModelLoop& loop : chain) {
    Value sum = 0;
    for (int element = 0; element < mesh.set_sizes[loop.set]; ++element)
      sum += run_iteration(mesh, loop, element, values);
    if (loop.reduction) reductions.push_back(sum);
  }
  return reductions;
}

/// The sets W_h of one mesh, found from their definition and kept.
class ModelLevels {
 public:
  explicit ModelLevels(const ModelMesh& mesh) : mesh_(mesh) {}

  const Members& of(int rank, core::Level level) {
    const auto key = std::pair(rank, level);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Members members = level == 0 ? owned(rank) : of(rank, level > 0 ? level - 1 : level + 1);
    if (level != 0) change(members, level);
    return known_.emplace(key, std::move(members)).first->second;
  }

 private:
  Members owned(int rank) const {
    Members members;
    for (const auto& owners : mesh_.owner) {
      members.emplace_back();
      for (const int owner : owners) members.back().push_back(owner == rank);
    }
    return members;
  }

  /// From the level nearer to 0: odd levels gain or lose sources of maps, even ones targets.
  void change(Members& members, core::Level level) const {
    const Members nearer = members;
    const char in = level > 0;  // gaining asks for a neighbour inside, losing for one outside
    for (const ModelMap& map : mesh_.maps)
      for (std::size_t source = 0; source < map.targets.size(); ++source)
        for (const int target : map.targets[source]) {
          if (level % 2 != 0 && nearer[map.to][target] == in) members[map.from][source] = in;
          if (level % 2 == 0 && nearer[map.from][source] == in) members[map.to][target] = in;
        }
  }

  const ModelMesh& mesh_;
  std::map<std::pair<int, core::Level>, Members> known_;
};

/// All ranks of a mesh, each with its own copy of every dat, of which only what `valid` says is
/// right; everything else is noise.
class ModelRanks {
 public:
  ModelRanks(const ModelMesh& mesh, const Values& values, Random& random)
      : mesh_(mesh),
        levels_(mesh),
        random_(random),
        copies_(mesh.ranks, values),
        valid_(mesh.dat_sets.size(), 0) {
    poison();
  }

  const std::vector<core::Level>& valid() const { return valid_; }

  /// Executes a chain as its levels say: pack, cores, unpack, the rest.
  /// @return the reductions, summed over owned elements of all ranks
  std::vector<Value> run(const ModelChain& chain, const core::ChainLevels& plan) {
    std::vector<sched::LoopGroup> units;
    for (std::size_t l = 0; l < chain.size(); ++l) units.push_back({{l}, 0});
    return run(chain, plan, units, plan.interior);
  }

  /// The same for loops that run in units.
  /// @param interior  per unit
  std::vector<Value> run(const ModelChain& chain, const core::ChainLevels& plan,
                         const std::vector<sched::LoopGroup>& units,
                         const std::vector<core::Level>& interior) {
    const auto messages = pack(plan.need);
    second_ = copies_;
    for (Values& values : second_)
      for (auto& dat : values)
        for (Value& value : dat) value = random_();
    std::vector<Value> sums(chain.size(), 0);
    for (int rank = 0; rank < mesh_.ranks; ++rank)
      run_phase({rank, chain, plan, units}, sums,
                [&](std::size_t u) { return std::pair(core::no_level, interior[u]); });
    for (const Message& m : messages) copies_[m.rank][m.dat][m.element] = m.value;
    for (int rank = 0; rank < mesh_.ranks; ++rank)
      for (const int dat : run_phase({rank, chain, plan, units}, sums, [&](std::size_t u) {
             return std::pair(interior[u], plan.extent[units[u].loops.back()]);
           }))
        copies_[rank][dat] = second_[rank][dat];
    rows_suffice_ = rows_suffice_ && touches_only(chain, plan);
    valid_ = plan.valid;
    poison();

    std::vector<Value> reductions;
    for (std::size_t l = 0; l < chain.size(); ++l)
      if (chain[l].reduction) reductions.push_back(sums[l]);
    return reductions;
  }

  /// Copies that differ from `expected` although owned or claimed valid.
  int wrong_values(const Values& expected) {
    int wrong = 0;
    for_each_copy([&](Value& copy, int dat, int element, bool claimed) {
      if (claimed && copy != expected[dat][element]) ++wrong;
    });
    return wrong;
  }

  /// Whether every row touched so far existed by the plans' claims.
  bool rows_suffice() const { return rows_suffice_; }

 private:
  struct Message {
    int rank, dat, element;
    Value value;
  };

  bool contains(int rank, core::Level level, int set, int element) {
    return level != core::no_level && levels_.of(rank, level)[set][element];
  }

  template <class Action>
  void for_each_copy(Action action) {
    for (int rank = 0; rank < mesh_.ranks; ++rank)
      for (std::size_t dat = 0; dat < valid_.size(); ++dat) {
        const auto& members = levels_.of(rank, std::max(valid_[dat], 0))[mesh_.dat_sets[dat]];
        for (std::size_t element = 0; element < members.size(); ++element)
          action(copies_[rank][dat][element], static_cast<int>(dat), static_cast<int>(element),
                 members[element]);
      }
  }

  void poison() {
    for_each_copy([&](Value& copy, int, int, bool claimed) {
      if (!claimed) copy = random_();
    });
  }

  /// What owners send before anything runs: the layers (valid, need] of every dat.
  std::vector<Message> pack(const std::vector<core::Level>& need) {
    std::vector<Message> messages;
    for (int rank = 0; rank < mesh_.ranks; ++rank)
      for (int dat = 0; dat < std::ssize(need); ++dat) {
        const int set = mesh_.dat_sets[dat];
        if (need[dat] <= valid_[dat]) continue;
        for (int element = 0; element < mesh_.set_sizes[set]; ++element)
          if (contains(rank, need[dat], set, element) && !contains(rank, valid_[dat], set, element))
            messages.push_back(
                {rank, dat, element, copies_[mesh_.owner[set][element]][dat][element]});
      }
    return messages;
  }

  /// Runs W_to \ W_from.
  Value execute(int rank, const ModelLoop& loop, core::Level from, core::Level to) {
    Value sum = 0;
    for (int element = 0; element < mesh_.set_sizes[loop.set]; ++element) {
      if (!contains(rank, to, loop.set, element) || contains(rank, from, loop.set, element))
        continue;
      const Value part = run_iteration(mesh_, loop, element, copies_[rank]);
      if (mesh_.owner[loop.set][element] == rank) sum += part;
    }
    return sum;
  }

  struct Running {
    int rank;
    const ModelChain& chain;
    const core::ChainLevels& plan;
    const std::vector<sched::LoopGroup>& units;
  };

  /// Runs each unit on W_to \ W_from of `levels(unit)`. Units that gather read rows of what they
  /// move in one buffer, and write them to the other.
  /// @return the dats whose rows are in the second buffer in the end
  template <class Levels>
  std::vector<int> run_phase(const Running& r, std::vector<Value>& sums, const Levels& levels) {
    Values &first = copies_[r.rank], &second = second_[r.rank];
    std::vector<int> away;
    for (std::size_t u = 0; u < r.units.size(); ++u) {
      const auto [from, to] = levels(u);
      const sched::LoopGroup& unit = r.units[u];
      if (unit.gathered == 0) {
        for (const std::size_t l : unit.loops) sums[l] += execute(r.rank, r.chain[l], from, to);
        continue;
      }
      const std::vector<int> moved = moved_by(r.chain, unit);
      gather(r, unit, from, to, moved, sums);
      for (const int dat : moved) {
        std::swap(first[dat], second[dat]);
        const auto found = std::find(away.begin(), away.end(), dat);
        if (found == away.end())
          away.push_back(dat);
        else
          away.erase(found);
      }
    }
    for (const int dat : away) std::swap(first[dat], second[dat]);
    return away;
  }

  /// The dats that the last loops of a unit write and the gathered ones read.
  std::vector<int> moved_by(const ModelChain& chain, const sched::LoopGroup& unit) const {
    std::vector<int> moved;
    for (int dat = 0; dat < std::ssize(mesh_.dat_sets); ++dat) {
      bool read = false, written = false;
      for (std::size_t k = 0; k < unit.loops.size(); ++k)
        for (const ModelArg& arg : chain[unit.loops[k]].args) {
          if (arg.dat != dat) continue;
          read |= k < unit.gathered && arg.access == OP_READ;
          written |= k >= unit.gathered && arg.access != OP_READ;
        }
      if (read && written) moved.push_back(dat);
    }
    return moved;
  }

  void gather(const Running& r, const sched::LoopGroup& unit, core::Level from, core::Level to,
              const std::vector<int>& moved, std::vector<Value>& sums) {
    Values &first = copies_[r.rank], &second = second_[r.rank];
    const int set = r.chain[unit.loops.back()].set;
    for (int row = 0; row < mesh_.set_sizes[set]; ++row) {
      if (!contains(r.rank, to, set, row) || contains(r.rank, from, set, row)) continue;
      for (std::size_t k = 0; k < unit.gathered; ++k)
        add_to_row(r.rank, r.chain[unit.loops[k]], r.plan.extent[unit.loops[k]], row);
      for (const int dat : moved) {
        std::swap(first[dat], second[dat]);
        first[dat][row] = second[dat][row];
      }
      for (std::size_t k = unit.gathered; k < unit.loops.size(); ++k) {
        const Value part = run_iteration(mesh_, r.chain[unit.loops[k]], row, first);
        if (mesh_.owner[set][row] == r.rank) sums[unit.loops[k]] += part;
      }
      for (const int dat : moved) std::swap(first[dat], second[dat]);
    }
  }

  /// What the elements of a loop in W_extent add to one row of the dats that it increments.
  void add_to_row(int rank, const ModelLoop& loop, core::Level extent, int row) {
    Values& values = copies_[rank];
    for (int element = 0; element < mesh_.set_sizes[loop.set]; ++element) {
      if (!contains(rank, extent, loop.set, element)) continue;
      const auto adds_here = [&](const ModelArg& arg) {
        return arg.access == OP_INC && row_of(mesh_, arg, element) == row;
      };
      if (std::none_of(loop.args.begin(), loop.args.end(), adds_here)) continue;
      Values before;
      for (const ModelArg& arg : loop.args)
        if (arg.access == OP_INC) before.push_back(values[arg.dat]);
      run_iteration(mesh_, loop, element, values);
      for (std::size_t k = 0, n = 0; k < loop.args.size(); ++k) {
        const ModelArg& arg = loop.args[k];
        if (arg.access != OP_INC) continue;
        const int target = row_of(mesh_, arg, element);
        if (target != row) values[arg.dat][target] = before[n][target];
        ++n;
      }
    }
  }

  bool touches_only(const ModelChain& chain, const core::ChainLevels& plan) {
    for (int rank = 0; rank < mesh_.ranks; ++rank)
      for (std::size_t l = 0; l < chain.size(); ++l)
        for (int element = 0; element < mesh_.set_sizes[chain[l].set]; ++element) {
          if (!contains(rank, plan.extent[l], chain[l].set, element)) continue;
          for (const ModelArg& arg : chain[l].args)
            if (!contains(rank, plan.rows, mesh_.dat_sets[arg.dat], row_of(mesh_, arg, element)))
              return false;
        }
    return true;
  }

  const ModelMesh& mesh_;
  ModelLevels levels_;
  Random& random_;
  std::vector<Values> copies_, second_;  ///< per rank
  std::vector<core::Level> valid_;
  bool rows_suffice_ = true;
};

}  // namespace op2::test
