// SPDX-License-Identifier: BSD-3-Clause
#include <equivalence/random_program.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <type_traits>

#include <op2/compat/op2_functions.h>

#include <equivalence/facts_kernels.hpp>
#include <equivalence/kernels.hpp>
#include <equivalence/payload_kernels.hpp>
#include <equivalence/random_mesh.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

int count(const std::string& text, std::string_view word) {
  int found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// Loops in a per-loop table that became part of others: their last column is not empty.
int count_fused(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // names of columns
  int found = 0;
  while (std::getline(lines, line)) found += line.ends_with("\"\"") ? 0 : 1;
  return found;
}

/// Whether loops over edges became part of others over nodes.
bool has_gathered(const std::string& table) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("\"half_flux\",") && !line.ends_with("\"\"")) return true;
  return false;
}

/// On a device reports make loops run one by one, instead of in graphs: there half of the programs
/// do without them.
bool has_reports(const ProgramShape& shape, const std::vector<Setting>& settings) {
  const auto on_device = [](const Setting& s) { return s.value == "cuda"; };
  return shape.seed % 2 == 0 || std::none_of(settings.begin(), settings.end(), on_device);
}

class Program {
 public:
  Program(const ProgramShape& shape, Observed& observed)
      : shape_(shape), random_(shape.seed), observed_(observed) {}

  void run_mesh(int chains) {
    mesh_ = random_mesh(random_);
    if (shape_.partitioned) partition();
    const double zero = 0;
    total_ = op_decl_global(1, &zero, "total");
    lazy_.clear();
    for (const Type type : {Type::f64, Type::i32, Type::u32, Type::i64}) declare_lazy(type);
    test_shift = 1;
    op_decl_const(1, &test_shift, "test_shift");
    for (int k = 0; k < chains; ++k) run_chain();
  }

 private:
  bool has_ordered() const {
    return shape_.ordered == OrderedLoops::in_colours || shape_.ordered == OrderedLoops::all;
  }
  bool has_last_payloads() const {
    return shape_.ordered == OrderedLoops::payloads || shape_.ordered == OrderedLoops::all;
  }

  /// In one of the ways that need no coordinates, or not at all.
  void partition() {
    const char* library = std::array{"", "BLOCK", "RANDOM", "PTSCOTCH"}[random_() % 4];
    if (*library != '\0') op_partition(library, "", mesh_.nodes, mesh_.edge_nodes, nullptr);
  }

  void run_chain() {
    ++observed_.chains;
    const int loops = pick(random_, 1, 12);
    for (int k = 0; k < loops; ++k)
      if (chance(random_, 10))
        queue_half_steps();
      else if (chance(random_, 5))
        queue_dead_reader();
      else if (chance(random_, 10))
        queue_lazy_reductions();
      else if (chance(random_, 5))
        queue_extreme(payload_kernels[random_() % payload_kernels.size()]);
      else
        queue_loop(any_kernel());
    if (chance(random_, 30)) observe_global();
    if (chance(random_, 30)) observe_lazy(any(random_, lazy_));
    for (int k = pick(random_, 1, 3); k > 0; --k) observe(any(random_, mesh_.dats));
    if (chance(random_, 10))
      for (op_dat dat : mesh_.dats) observe(dat);
  }

  /// Often one that the library has to look into.
  const TestKernel& any_kernel() {
    if (chance(random_, 35)) return kernels_with_facts[random_() % std::size(kernels_with_facts)];
    return test_kernels[random_() % std::size(test_kernels)];
  }

  static op_kernel kernel_of(Shape shape, Type type) {
    return std::ranges::find_if(
               test_kernels,
               [&](const TestKernel& k) { return k.shape == shape && k.type == type; })
        ->kernel;
  }

  /// As a flow solver does: edges add to their nodes what they compute of them; then nodes use the
  /// sums, and change what the edges have read.
  void queue_half_steps() {
    const Type type = std::array{Type::f64, Type::f32, Type::i32, Type::i64}[random_() % 4];
    const op_map map = chance(random_, 50) ? mesh_.edge_nodes : mesh_.far_nodes;
    const auto [state, sum] = two(random_, mesh_.on(mesh_.nodes, type, 1));
    for (int k = pick(random_, 1, 3); k > 0; --k) queue_half_step(type, map, state, sum);
  }
  void queue_half_step(Type type, op_map map, op_dat state, op_dat sum) {
    op_par_loop(kernel_of(Shape::flux, type), "half_flux", mesh_.edges,
                op_arg_dat(state, 0, map, OP_READ), op_arg_dat(state, 1, map, OP_READ),
                op_arg_dat(sum, 0, map, OP_INC), op_arg_dat(sum, 1, map, OP_INC));
    if (chance(random_, 20))
      op_par_loop(kernel_of(Shape::number, type), "half_number", mesh_.edges, op_arg_idx(-1, OP_ID),
                  op_arg_dat(sum, 0, map, OP_INC), op_arg_dat(sum, 1, map, OP_INC));
    if (chance(random_, 30))
      op_par_loop(kernel_of(Shape::scatter, type), "half_scatter", mesh_.edges,
                  op_arg_dat(any(random_, mesh_.on(mesh_.edges, type, 1)), OP_READ),
                  op_arg_dat(sum, 1, map, OP_INC), op_arg_dat(sum, 0, map, OP_INC));
    if (chance(random_, 70))
      op_par_loop(kernel_of(Shape::use_up, type), "half_use_up", mesh_.nodes,
                  op_arg_dat(sum, OP_RW), op_arg_dat(state, OP_RW));
    else
      op_par_loop(kernel_of(Shape::read_write, type), "half_update", mesh_.nodes,
                  op_arg_dat(sum, OP_READ), op_arg_dat(state, OP_RW));
    if (chance(random_, 30))
      op_par_loop(kernel_of(Shape::gather, type), "half_smooth", mesh_.nodes,
                  op_arg_dat(sum, 0, mesh_.node_nodes, OP_READ),
                  op_arg_dat(sum, 1, mesh_.node_nodes, OP_READ), op_arg_dat(state, OP_WRITE));
    if (chance(random_, 20))
      op_par_loop(kernel_of(Shape::read_write, type), "half_reset", mesh_.nodes,
                  op_arg_dat(state, OP_READ), op_arg_dat(sum, OP_RW));
    if (chance(random_, 30))
      queue_reduction({Shape::reduce, type, kernel_of(Shape::reduce, type)}, mesh_.nodes, state);
  }

  /// Loops that add to a global, and between them one that reads it, whose result is overwritten.
  void queue_dead_reader() {
    const op_set set = chance(random_, 50) ? mesh_.edges : mesh_.nodes;
    const auto [added, read] = two(random_, mesh_.on(set, Type::f64, 1));
    const op_kernel add = kernel_of(Shape::tally_own, Type::f64);
    op_par_loop(add, "dead_before", set, op_arg_dat(added, OP_RW), op_arg_gbl(total_, OP_INC));
    op_par_loop(kernel_of(Shape::weigh, Type::f64), "dead_reader", set, op_arg_gbl(total_, OP_READ),
                op_arg_dat(read, OP_RW));
    op_par_loop(kernel_of(Shape::index_write, Type::f64), "dead_after", set, op_arg_idx(-1, OP_ID),
                op_arg_dat(read, OP_WRITE));
    op_par_loop(add, "dead_again", set, op_arg_dat(added, OP_RW), op_arg_gbl(total_, OP_INC));
    if (chance(random_, 50)) observe_global();
  }

  /// Sums and extremes of one type, which loops over several sets reduce.
  struct LazyReductions {
    Type type;
    op_global sum, least, greatest;
  };
  void declare_lazy(Type type) {
    for_type(type, [&]<class T>() {
      const T sum = 3, least = 1000, greatest = static_cast<T>(std::is_signed_v<T> ? -280 : 5);
      lazy_.push_back({type, op_decl_global(1, &sum, "lazy_sum"),
                       op_decl_global(1, &least, "lazy_least"),
                       op_decl_global(1, &greatest, "lazy_greatest")});
    });
  }
  void observe_lazy(const LazyReductions& lazy) {
    for_type(lazy.type, [&]<class T>() {
      for (op_global global : {lazy.sum, lazy.least, lazy.greatest}) {
        T value{};
        op_fetch_global(global, &value);
        keep(global->name, &value, 1);
      }
    });
  }

  /// Often over sets that have no elements, here or at all, between loops that tiles regroup.
  void queue_lazy_reductions() {
    const LazyReductions& lazy = any(random_, lazy_);
    const auto [added, read] = two(random_, mesh_.on(mesh_.nodes, lazy.type, 1));
    const op_kernel add = kernel_of(Shape::number, lazy.type);
    const op_kernel reduce = kernel_of(Shape::reduce, lazy.type);
    for (int k = pick(random_, 1, 3); k > 0; --k) {
      op_par_loop(add, "lazy_before", mesh_.edges, op_arg_idx(-1, OP_ID),
                  op_arg_dat(added, 0, mesh_.edge_nodes, OP_INC),
                  op_arg_dat(added, 1, mesh_.edge_nodes, OP_INC));
      const op_map map = std::array{mesh_.none_nodes, mesh_.few_nodes, mesh_.few_nodes,
                                    mesh_.edge_nodes}[random_() % 4];
      op_par_loop(reduce, "lazy_reduce", map->from,
                  op_arg_dat(chance(random_, 50) ? added : read, 1, map, OP_READ),
                  op_arg_gbl(lazy.sum, OP_INC), op_arg_gbl(lazy.least, OP_MIN),
                  op_arg_gbl(lazy.greatest, OP_MAX));
      op_par_loop(add, "lazy_after", mesh_.edges, op_arg_idx(-1, OP_ID),
                  op_arg_dat(read, 0, mesh_.edge_nodes, OP_INC),
                  op_arg_dat(read, 2, mesh_.edge_nodes, OP_INC));
    }
    if (chance(random_, 40)) observe_lazy(lazy);
  }

  void queue_loop(const TestKernel& k) {
    const bool over_edges = chance(random_, 60);
    const op_set set = over_edges ? mesh_.edges : mesh_.nodes;
    const op_map map =
        over_edges ? (chance(random_, 50) ? mesh_.edge_nodes : mesh_.far_nodes) : mesh_.node_nodes;
    const int first = pick(random_, 0, map->dim - 1),
              second = chance(random_, 10) ? first : (first + 1) % map->dim;
    Choice dats{two(random_, mesh_.on(set, k.type, 1)), two(random_, mesh_.on(set, k.type, 3)),
                two(random_, mesh_.on(mesh_.nodes, k.type, 1)),
                two(random_, mesh_.on(mesh_.nodes, k.type, 3))};
    if (!has_ordered() && !over_edges) separate(dats, mesh_.on(mesh_.nodes, k.type, 1));
    const bool depends = k.shape == Shape::neighbour || k.shape == Shape::add_neighbour;
    if (!has_ordered() && depends) return;
    const auto& [direct, wide, behind, behind_wide] = dats;
    switch (k.shape) {
      case Shape::index_write:
        return op_par_loop(k.kernel, "index_write", set, op_arg_idx(-1, OP_ID),
                           op_arg_dat(direct.first, OP_WRITE));
      case Shape::copy:
        return op_par_loop(k.kernel, "copy", set, op_arg_dat(wide.first, OP_READ),
                           op_arg_dat(wide.second, OP_WRITE));
      case Shape::read_write:
        return op_par_loop(k.kernel, "read_write", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(direct.second, OP_RW));
      case Shape::use_up:
        return op_par_loop(k.kernel, "use_up", set, op_arg_dat(direct.first, OP_RW),
                           op_arg_dat(direct.second, OP_RW));
      case Shape::direct_inc:
        return op_par_loop(k.kernel, "direct_inc", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(direct.second, OP_INC));
      case Shape::gather:
        return op_par_loop(k.kernel, "gather", set, op_arg_dat(behind.first, first, map, OP_READ),
                           op_arg_dat(behind.first, second, map, OP_READ),
                           op_arg_dat(direct.first, OP_WRITE));
      case Shape::scatter:
        return op_par_loop(
            k.kernel, "scatter", set, op_arg_dat(direct.first, OP_READ),
            op_arg_dat(behind.first, first, map, OP_INC),
            op_arg_dat(chance(random_, 50) ? behind.first : behind.second, second, map, OP_INC));
      case Shape::number:
        return op_par_loop(k.kernel, "number", set, op_arg_idx(-1, OP_ID),
                           op_arg_dat(behind.first, first, map, OP_INC),
                           op_arg_dat(behind.first, second, map, OP_INC));
      case Shape::flux:
        return op_par_loop(k.kernel, "flux", set, op_arg_dat(behind.first, first, map, OP_READ),
                           op_arg_dat(behind.first, second, map, OP_READ),
                           op_arg_dat(behind.second, first, map, OP_INC),
                           op_arg_dat(behind.second, second, map, OP_INC));
      case Shape::scatter_wide:
        return op_par_loop(k.kernel, "scatter_wide", set, op_arg_dat(wide.first, OP_READ),
                           op_arg_dat(behind_wide.first, first, map, OP_INC),
                           op_arg_dat(behind_wide.first, second, map, OP_INC));
      case Shape::reduce:
        return queue_reduction(k, set, direct.first);
      case Shape::one_to_one:
        return op_par_loop(k.kernel, "one_to_one", mesh_.marks,
                           op_arg_dat(any(random_, mesh_.on(mesh_.marks, k.type, 1)), OP_READ),
                           op_arg_dat(behind.first, 0, mesh_.mark_nodes, OP_RW));
      case Shape::one_to_one_set:
        return queue_one_to_one_set(k, behind.first);
      case Shape::mark:
        return op_par_loop(k.kernel, "mark", set, op_arg_idx(first, map),
                           op_arg_dat(behind.first, first, map, OP_WRITE));
      case Shape::neighbour:
        return op_par_loop(k.kernel, "neighbour", set,
                           op_arg_dat(behind.first, first, map, OP_READ),
                           op_arg_dat(behind.first, second, map, OP_INC));
      case Shape::weigh:
        return op_par_loop(k.kernel, "weigh", set, op_arg_gbl(total_, OP_READ),
                           op_arg_dat(direct.first, OP_RW));
      case Shape::tally:
        return op_par_loop(k.kernel, "tally", set, op_arg_dat(behind.first, first, map, OP_READ),
                           op_arg_dat(behind.first, second, map, OP_READ),
                           op_arg_dat(behind.second, first, map, OP_INC),
                           op_arg_dat(behind.second, second, map, OP_INC),
                           op_arg_gbl(total_, OP_INC));
      case Shape::tally_own:
        return op_par_loop(k.kernel, "tally_own", set, op_arg_dat(direct.first, OP_RW),
                           op_arg_gbl(total_, OP_INC));
      case Shape::shift:
        return queue_shift(k, set, direct.first);
      case Shape::scale:
        return queue_scale(k, set, direct.first);
      case Shape::optional:
        return queue_optional(k, set, direct);
      default:
        return queue_unlike_declared(k, set, map, {first, second}, dats);
    }
  }

  /// Loops whose access modes promise more, or less, than their kernels do.
  void queue_unlike_declared(const TestKernel& k, op_set set, op_map map,
                             std::pair<int, int> columns, const Choice& dats) {
    const auto& [direct, wide, behind, behind_wide] = dats;
    const auto [first, second] = columns;
    const op_dat of_marks = any(random_, mesh_.on(mesh_.marks, k.type, 1));
    const op_access other = chance(random_, 30) ? OP_INC : OP_RW;
    // Colours are those of what is proven: the reference, which proves nothing, has others.
    const bool apart = direct.first != behind.first && direct.first != behind.second;
    const bool injective = !has_ordered() || chance(random_, 40);
    switch (k.shape) {
      case Shape::either:
        return op_par_loop(k.kernel, "either", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(direct.second, OP_WRITE));
      case Shape::revise_mark:
        return op_par_loop(k.kernel, "revise_mark", mesh_.marks, op_arg_dat(of_marks, OP_READ),
                           op_arg_dat(behind.first, 0, mesh_.mark_nodes, OP_WRITE));
      case Shape::sometimes_mark:
        return op_par_loop(k.kernel, "sometimes_mark", set, op_arg_idx(first, map),
                           op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(behind.first, first, map, OP_WRITE));
      case Shape::add_to:
        return op_par_loop(k.kernel, "add_to", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(behind.first, first, map, apart ? OP_RW : OP_INC),
                           op_arg_dat(chance(random_, 70) ? behind.first : behind.second, second,
                                      map, apart ? other : OP_INC));
      case Shape::add_wide:
        return op_par_loop(k.kernel, "add_wide", set, op_arg_dat(wide.first, OP_READ),
                           op_arg_dat(behind_wide.first, first, map, OP_RW),
                           op_arg_dat(behind_wide.first, second, map, OP_RW));
      case Shape::widen: {
        const op_access least = apart && chance(random_, 50) ? OP_RW : OP_MIN,
                        greatest = apart && chance(random_, 50) ? OP_RW : OP_MAX;
        return op_par_loop(k.kernel, "widen", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(behind.first, first, map, least),
                           op_arg_dat(behind.second, second, map, greatest));
      }
      case Shape::lower_wide:
        return op_par_loop(
            k.kernel, "lower_wide", set, op_arg_dat(wide.first, OP_READ),
            op_arg_dat(behind_wide.first, first, map, chance(random_, 50) ? OP_MIN : OP_RW),
            op_arg_dat(behind_wide.first, second, map, chance(random_, 50) ? OP_MIN : OP_RW));
      case Shape::raise_own:
        return op_par_loop(k.kernel, "raise_own", set, op_arg_dat(direct.first, OP_READ),
                           op_arg_dat(direct.second, OP_MAX));
      case Shape::add_neighbour:
        return op_par_loop(k.kernel, "add_neighbour", set,
                           op_arg_dat(behind.first, first, map, OP_READ),
                           op_arg_dat(behind.first, second, map, OP_RW));
      default:
        return op_par_loop(k.kernel, "nearly_add", injective ? mesh_.marks : set,
                           op_arg_dat(injective ? of_marks : direct.first, OP_READ),
                           op_arg_dat(behind.first, injective ? 0 : first,
                                      injective ? mesh_.mark_nodes : map, OP_RW));
    }
  }

  void queue_reduction(const TestKernel& k, op_set set, op_dat dat) {
    if (k.type == Type::f64 && chance(random_, 60)) {
      const double start = pick(random_, 0, 9);
      double low = 1000, high = -1000;
      if (chance(random_, 50)) op_set_global(total_, &start);
      op_par_loop(k.kernel, "reduce", set, op_arg_dat(dat, OP_READ), op_arg_gbl(total_, OP_INC),
                  op_arg_gbl(&low, 1, "double", OP_MIN), op_arg_gbl(&high, 1, "double", OP_MAX));
      return keep(fmt::format("minimum of {}", dat->name), &low, 1);
    }
    for_type(k.type, [&]<class T>() {
      T sum = 7, low = 1000, high = 0;
      op_par_loop(k.kernel, "reduce", set, op_arg_dat(dat, OP_READ),
                  op_arg_gbl(&sum, 1, nullptr, OP_INC), op_arg_gbl(&low, 1, nullptr, OP_MIN),
                  op_arg_gbl(&high, 1, nullptr, OP_MAX));
      const T all[] = {sum, low, high};
      keep(fmt::format("reduction of {}", dat->name), all, 3);
    });
  }

  /// Through a temporary, and sometimes with a new value of the constant.
  void queue_shift(const TestKernel& k, op_set set, op_dat dat) {
    if (chance(random_, 40)) {
      test_shift = pick(random_, 0, 9);
      op_decl_const(1, &test_shift, "test_shift");
    }
    op_par_loop(k.kernel, "shift", set, op_arg_dat(dat, OP_RW));
    const bool plain = chance(random_, 50);
    const op_dat scratch = plain ? op_decl_dat_temp(set, 1, "double", "scratch")
                                 : compat::op_decl_dat_temp_char(set, 1, "double", 24, "padded");
    op_par_loop(k.kernel, "shift", set, op_arg_dat(scratch, OP_RW));
    if (plain && chance(random_, 50))
      op_par_loop(kernel_of(Shape::read_write, k.type), "use_scratch", set,
                  op_arg_dat(scratch, OP_READ), op_arg_dat(dat, OP_RW));
    if (chance(random_, 30)) observe(scratch);
    op_free_dat_temp(scratch);
  }

  /// Ranks have no common order, which the last of equal elements needs.
  void queue_extreme(const PayloadKernels& k) {
    const op_set set = chance(random_, 50) ? mesh_.edges : mesh_.nodes;
    const op_dat dat = any(random_, mesh_.on(set, k.type, 1));
    const bool is_most = !has_last_payloads() || chance(random_, 70);
    const int start = pick(random_, 0, 3) * 20;
    for_type(k.type, [&]<class T>() {
      T extreme = static_cast<T>(start);
      int where[2] = {-1, -1};
      op_par_loop(is_most ? k.first_of_most : k.last_of_least, "extreme", set,
                  op_arg_dat(dat, OP_READ), op_arg_idx(-1, OP_ID),
                  op_arg_gbl(&extreme, 1, nullptr, is_most ? OP_MAX : OP_MIN),
                  op_arg_info(where, 2, "int", 2));
      keep(fmt::format("extreme of {}", dat->name), &extreme, 1);
      keep(fmt::format("element with the extreme of {}", dat->name), where, 2);
      observed_.is_chosen.back() = std::is_floating_point_v<T> ? 1 : 0;
    });
  }

  /// The last element with a certain value sets the global.
  void queue_one_to_one_set(const TestKernel& k, op_dat dat) {
    int seen = -1;
    op_par_loop(k.kernel, "one_to_one_set", mesh_.marks,
                op_arg_dat(any(random_, mesh_.on(mesh_.marks, k.type, 1)), OP_READ),
                op_arg_dat(dat, 0, mesh_.mark_nodes, OP_RW), op_arg_gbl(&seen, 1, "int", OP_WRITE));
    keep(fmt::format("seen with {}", dat->name), &seen, 1);
  }

  void queue_scale(const TestKernel& k, op_set set, op_dat dat) {
    for_type(k.type, [&]<class T>() {
      T factors[2] = {static_cast<T>(pick(random_, 1, 9)), static_cast<T>(pick(random_, 0, 9))};
      op_par_loop(k.kernel, "scale", set, op_arg_gbl(factors, 2, nullptr, OP_READ),
                  op_arg_dat(dat, OP_RW));
      factors[0] = factors[1] = T{};  // the loop has its own copy
    });
  }

  void queue_optional(const TestKernel& k, op_set set, std::pair<op_dat, op_dat> dats) {
    const int on = pick(random_, 0, 1);
    op_par_loop(k.kernel, "optional", set, op_arg_gbl(&on, 1, "int", OP_READ),
                op_opt_arg_dat(on, on ? dats.first : nullptr, -1, OP_ID, 1,
                               Mesh::names[static_cast<int>(k.type)], OP_READ),
                op_arg_dat(dats.second, OP_RW));
  }

  void observe(op_dat dat) {
    for (int t = 0; t < 7; ++t)
      if (dat->type == std::string_view(Mesh::names[static_cast<std::size_t>(t)]))
        for_type(static_cast<Type>(t), [&]<class T>() { observe_values<T>(dat); });
  }

  /// The rank's block, and the whole set, of which the block must be a part.
  template <class T>
  void observe_values(op_dat dat) {
    const int size = size_of(dat->set);
    const Block mine = equal_block(size);
    const auto row = static_cast<std::size_t>(dat->size);
    std::vector<std::byte> block(static_cast<std::size_t>(mine.size()) * row + 1), all;
    op_fetch_data(dat, reinterpret_cast<T*>(block.data()));
    block.pop_back();
    if (op_ranks() == 1)
      return keep(dat->name, reinterpret_cast<const T*>(block.data()), block.size() / sizeof(T));
    all.resize(static_cast<std::size_t>(size) * row);
    if (size > 0) op_fetch_data_idx(dat, reinterpret_cast<T*>(all.data()), 0, size - 1);
    const auto begin = all.begin() + mine.begin * std::ssize(all) / std::max(size, 1);
    const bool is_part = std::equal(block.begin(), block.end(), begin);
    keep(is_part ? dat->name : fmt::format("block of {}", dat->name),
         reinterpret_cast<const T*>(all.data()), is_part ? all.size() / sizeof(T) : 0);
  }

  void observe_global() {
    double value = 0;
    op_fetch_global(total_, &value);
    keep("total", &value, 1);
  }

  template <class T>
  void keep(const std::string& what, const T* data, std::size_t count) {
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    observed_.values.emplace_back(begin, begin + count * sizeof(T));
    observed_.types.push_back(type_of<T>());
    observed_.is_chosen.push_back(0);
    observed_.what.push_back(fmt::format("chain {}: {}", observed_.chains, what));
  }

  const ProgramShape shape_;
  Random random_;
  Observed& observed_;
  Mesh mesh_{};
  op_global total_ = nullptr;
  std::vector<LazyReductions> lazy_;
};

}  // namespace

Observed run_program(const ProgramShape& shape, const std::vector<Setting>& settings,
                     const std::function<void()>& start) {
  const TemporaryDirectory folder;
  const std::string trace = folder / "trace.json", table = folder / "table.csv";
  if (has_reports(shape, settings)) {
    setenv("OP2_TRACE", trace.c_str(), 1);
    setenv("OP2_TIMING", table.c_str(), 1);
  }
  for (const Setting& s : settings) setenv(s.name.c_str(), s.value.c_str(), 1);
  Observed observed;
  start();
  const bool is_root = op_is_root();
  Program program(shape, observed);
  for (int k = 0; k < shape.meshes; ++k) {
    program.run_mesh(shape.chains);
    const op_chain_statistics all = op_get_chain_statistics();
    observed.sent.insert(observed.sent.end(), {all.exchanges, all.messages, all.bytes});
  }
  op_exit();
  for (const Setting& s : settings) unsetenv(s.name.c_str());
  unsetenv("OP2_TRACE");
  unsetenv("OP2_TIMING");
  if (!is_root || !has_reports(shape, settings)) return observed;
  observed.tilings = count(content_of(trace), "\"name\":\"tiles\"");
  observed.fusions = count_fused(content_of(table));
  observed.gathers = has_gathered(content_of(table)) ? 1 : 0;
  return observed;
}

}  // namespace op2::test
