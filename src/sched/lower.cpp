// SPDX-License-Identifier: BSD-3-Clause
#include <sched/lower.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <sched/numbering.hpp>

namespace op2::sched {
namespace {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

std::vector<Touch> touches_of(const SharedDat& dat) {
  std::vector<Touch> touches;
  const std::int64_t rows = static_cast<const core::Set*>(dat.set)->rows();
  for (const Reach& r : dat.reaches)
    touches.push_back(r.map == nullptr ? Touch{nullptr, 0, rows}
                                       : Touch{r.map->map + r.column, r.map->dim, rows});
  return touches;
}

/// Dats that a loop modifies and reaches through maps.
std::set<const core::Dat*> shared_dats(std::span<const core::LoopArg> args) {
  std::set<const core::Dat*> modified, behind_maps, both;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies()) modified.insert(arg.dat);
    if (arg.is_indirect()) behind_maps.insert(arg.dat);
  }
  std::ranges::set_intersection(modified, behind_maps, std::inserter(both, both.end()));
  return both;
}

/// All the ways by which a loop reaches `dat`.
SharedDat shared_dat(const core::Dat* dat, std::span<const core::LoopArg> args) {
  SharedDat shared{dat->set, {}, true};
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat() || arg.dat != dat) continue;
    shared.reaches.push_back({arg.map, arg.is_indirect() ? arg.column : -1});
    shared.only_increments = shared.only_increments && arg.is_indirect() && arg.access == OP_INC;
  }
  sort_unique(shared.reaches);
  return shared;
}

std::vector<jit::Constant> declared_constants(const core::Mesh& mesh) {
  std::vector<jit::Constant> constants;
  for (const auto& [name, constant] : mesh.constants())
    constants.push_back({name, constant.type, constant.dim, constant.value.get()});
  return constants;
}

std::vector<jit::Constant> variables_of(const core::FunctionKernel& kernel) {
  std::vector<jit::Constant> constants;
  for (const core::NamedVariable& named : kernel.variables)
    constants.push_back({.name = named.name,
                         .address = named.variable->value.get(),
                         .declaration = named.declaration,
                         .variable = named.variable->origin});
  return constants;
}

}  // namespace

std::vector<jit::ArgShape> arg_shapes(std::span<const core::LoopArg> args) {
  std::vector<core::Dat*> dats;
  std::vector<core::Map*> maps;
  std::vector<jit::ArgShape> shapes;
  for (const core::LoopArg& arg : args) {
    jit::ArgShape shape{.kind = arg.kind,
                        .access = arg.access,
                        .type = arg.type,
                        .dim = arg.dim,
                        .active = arg.active};
    if (arg.is_active_dat()) shape.dat = number_of(dats, arg.dat);
    if (arg.active && arg.is_indirect()) {
      shape.map = number_of(maps, arg.map);
      shape.column = arg.column;
      shape.arity = arg.map->dim;
    }
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<std::int32_t> optional_args(std::span<const core::LoopArg> args) {
  std::vector<std::int32_t> optional;
  std::int32_t number = 0;
  for (const core::LoopArg& arg : args) {
    if (arg.members == 0) continue;
    if (arg.optional) optional.push_back(number);
    ++number;
  }
  return optional;
}

std::vector<jit::Constant> constants_of(const core::Mesh& mesh) {
  std::vector<jit::Constant> constants = declared_constants(mesh);
  for (const auto& [function, kernel] : mesh.functions()) {
    const std::vector<jit::Constant> variables = variables_of(*kernel);
    constants.insert(constants.end(), variables.begin(), variables.end());
  }
  return constants;
}

jit::KernelCall call_of(const core::Mesh& mesh, op_kernel kernel) {
  const core::FunctionKernel* function = mesh.function_of(kernel);
  if (function == nullptr) return jit::call_of(*kernel, declared_constants(mesh));
  jit::KernelCall call = jit::call_of(*kernel, {});
  call.any_const = true;
  for (const jit::Constant& variable : variables_of(*function))
    call.constants.push_back(jit::shape_of(variable));
  std::ranges::sort(call.constants);
  return call;
}

jit::LoopNest nest_of(jit::KernelCall call, std::span<const core::LoopArg> args) {
  jit::LoopNest nest = jit::nest_of(std::move(call), arg_shapes(args));
  for (std::size_t k = 0; k < args.size(); ++k) nest.calls[0].args[k].members = args[k].members;
  return nest;
}

ConflictPattern conflict_pattern(const op_set_core* set, std::span<const core::LoopArg> args) {
  ConflictPattern pattern{set, {}};
  for (const core::Dat* dat : shared_dats(args)) pattern.dats.push_back(shared_dat(dat, args));
  sort_unique(pattern.dats);
  return pattern;
}

bool reads_shared_rows(std::span<const core::LoopArg> args) {
  return std::ranges::any_of(shared_dats(args), [&](const core::Dat* dat) {
    return !shared_dat(dat, args).only_increments &&
           std::ranges::any_of(args, [&](const core::LoopArg& arg) {
             return arg.is_active_dat() && arg.dat == dat && arg.access != OP_WRITE;
           });
  });
}

bool sets_globals(std::span<const core::LoopArg> args) {
  return std::ranges::any_of(args, &core::LoopArg::is_set_by_one);
}

bool meets_out_of_order(const ConflictPattern& pattern, std::int64_t end) {
  return std::any_of(pattern.dats.begin(), pattern.dats.end(), [&](const SharedDat& dat) {
    return !dat.only_increments && has_repeated_targets(end, touches_of(dat));
  });
}

ThreadPlan plan_loop(const ConflictPattern& pattern, Range rows, int threads) {
  std::vector<Touch> all;
  for (const SharedDat& dat : pattern.dats) {
    const std::vector<Touch> touches = touches_of(dat);
    all.insert(all.end(), touches.begin(), touches.end());
  }
  return plan_threads(rows, threads, all);
}

double useful_bytes(const op_set_core* set, std::span<const core::LoopArg> args) {
  struct Use {
    bool reads = false, writes = false;
    double rows = 0;
  };
  std::map<const core::Dat*, Use> uses;
  std::set<const core::Map*> maps;
  for (const core::LoopArg& arg : args) {
    if (!arg.active) continue;
    if (arg.is_indirect()) maps.insert(arg.map);
    if (!arg.is_active_dat()) continue;
    Use& use = uses[arg.dat];
    use.reads = use.reads || arg.access != OP_WRITE;
    use.writes = use.writes || arg.modifies();
    use.rows += set->size;  // each argument reaches at most one row per element
  }
  double bytes = 0;
  for (const auto& [dat, use] : uses)
    bytes +=
        std::min<double>(dat->set->size, use.rows) * dat->size * (int{use.reads} + int{use.writes});
  for (const core::Map* map : maps)
    bytes += static_cast<double>(set->size) * map->dim * sizeof(std::int32_t);
  return bytes;
}

}  // namespace op2::sched
