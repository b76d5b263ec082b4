// SPDX-License-Identifier: BSD-3-Clause
// repeat_program FILE SESSIONS: the same program in several sessions, one after the other. All must
// yield the same bits, which each rank writes to FILE.<rank>. Increments through a map, reductions
// of all kinds, raw and lazy, in chains whose data are larger than the caches, so that the model
// wants tiles.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <core/topology.hpp>
#include <support/graph_on_ranks.hpp>

namespace {

using op2::test::Block;
using op2::test::equal_block;

constexpr int dim = 8;  // of the dats on nodes
using Bits = std::vector<char>;

OP_KERNEL(exchange_heat,
          (const double* weight, const double* a, const double* b, double* ra, double* rb), {
            for (int n = 0; n < 8; ++n) {
              const double heat = *weight * (a[n] - b[n]);
              ra[n] -= heat;
              rb[n] += heat;
            }
          });
OP_KERNEL(advance, (double* rate, double* state, double* total), {
  for (int n = 0; n < 8; ++n) {
    state[n] += 0.1 * rate[n];
    *total += state[n] * rate[n];
    rate[n] = 0;
  }
});
OP_KERNEL(stretch, (const double* a, const double* b, double* weight),
          { *weight = 0.7 * *weight + 0.01 * (a[0] * b[1]); });
OP_KERNEL(look, (const double* state, double* sum, double* low, double* high), {
  for (int n = 0; n < 8; ++n) {
    *sum += state[n];
    *low = state[n] < *low ? state[n] : *low;
    *high = state[n] > *high ? state[n] : *high;
  }
});

/// A square of nodes with random numbers; edges, in random order, to the right, up and along one of
/// the diagonals.
struct Net {
  int side;
  std::vector<int> ends;  ///< shape [edges x 2]

  explicit Net(int nodes_on_a_side) : side(nodes_on_a_side) {
    std::mt19937 random(3);
    std::vector<int> number(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    const auto at = [&](int x, int y) { return number[static_cast<std::size_t>(y * side + x)]; };
    std::vector<std::array<int, 2>> edges;
    for (int y = 0; y + 1 < side; ++y)
      for (int x = 0; x + 1 < side; ++x) {
        const int leaning = static_cast<int>(random() % 2);
        edges.insert(edges.end(), {{at(x, y), at(x + 1, y)},
                                   {at(x, y), at(x, y + 1)},
                                   {at(x + leaning, y), at(x + 1 - leaning, y + 1)}});
      }
    std::shuffle(edges.begin(), edges.end(), random);
    for (const auto& edge : edges) ends.insert(ends.end(), edge.begin(), edge.end());
  }
  int nodes() const { return side * side; }
  int edges() const { return static_cast<int>(ends.size() / 2); }
};

/// What a node and its three edges need is about 200 bytes.
int side_for_tiles(const op2::core::Caches& caches) {
  return static_cast<int>(std::sqrt(op_ranks() * static_cast<double>(caches.shared) / 200.0));
}

class Session {
 public:
  explicit Session(const Net& net) {
    const Block mine = equal_block(net.nodes()), my_edges = equal_block(net.edges());
    nodes_ = op_decl_set(mine.size(), "nodes");
    edges_ = op_decl_set(my_edges.size(), "edges");
    ends_ = op_decl_map(edges_, nodes_, 2, net.ends.data() + std::ptrdiff_t{2} * my_edges.begin,
                        "ends");
    state_ = random_dat(nodes_, dim, mine, "state");
    rate_ = op_decl_dat<double>(nodes_, dim, nullptr, "rate");
    weight_ = random_dat(edges_, 1, my_edges, "weight");
    const double zero = 0;
    total_ = op_decl_global(1, &zero, "total");
    if (op_ranks() > 1) op_partition("PTSCOTCH", "KWAY", nodes_, ends_, nullptr);
  }

  Bits run() {
    for (int repeat = 0; repeat < 10; ++repeat) {
      step();
      step();
      keep(lazy_total());
      step();
      relax();
      for (const double found : extremes()) keep(found);
    }
    fetch(state_, equal_block(static_cast<int>(op_get_size(nodes_))));
    fetch(weight_, equal_block(static_cast<int>(op_get_size(edges_))));
    return std::move(bits_);
  }

 private:
  static op_dat random_dat(op_set set, int values, Block mine, const char* name) {
    std::vector<double> data(static_cast<std::size_t>(mine.size()) * values);
    std::mt19937 random(static_cast<unsigned>(mine.begin) + 1);
    for (double& value : data) value = std::uniform_real_distribution(0.1, 0.2)(random);
    return op_decl_dat(set, values, data.data(), name);
  }

  void step() {
    op_par_loop(exchange_heat, "exchange_heat", edges_, op_arg_dat(weight_, OP_READ),
                op_arg_dat(state_, 0, ends_, OP_READ), op_arg_dat(state_, 1, ends_, OP_READ),
                op_arg_dat(rate_, 0, ends_, OP_INC), op_arg_dat(rate_, 1, ends_, OP_INC));
    op_par_loop(advance, "advance", nodes_, op_arg_dat(rate_, OP_RW), op_arg_dat(state_, OP_RW),
                op_arg_gbl(total_, OP_INC));
  }
  void relax() {
    op_par_loop(stretch, "stretch", edges_, op_arg_dat(state_, 0, ends_, OP_READ),
                op_arg_dat(state_, 1, ends_, OP_READ), op_arg_dat(weight_, OP_RW));
  }
  double lazy_total() {
    double total = 0;
    op_fetch_global(total_, &total);
    return total;
  }
  std::array<double, 3> extremes() {
    double sum = 0, low = 1e9, high = -1e9;
    op_par_loop(look, "look", nodes_, op_arg_dat(state_, OP_READ),
                op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&low, 1, "double", OP_MIN),
                op_arg_gbl(&high, 1, "double", OP_MAX));
    return {sum, low, high};
  }

  void keep(double value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    bits_.insert(bits_.end(), bytes, bytes + sizeof value);
  }
  void fetch(op_dat dat, Block mine) {
    std::vector<double> values(static_cast<std::size_t>(mine.size() * dat->dim));
    op_fetch_data(dat, values.data());
    for (const double value : values) keep(value);
  }

  op_set nodes_, edges_;
  op_map ends_;
  op_dat state_, rate_, weight_;
  op_global total_;
  Bits bits_;
};

/// @param rank  set to this rank
Bits run_session(int& rank) {
  op_init(0, nullptr);
  rank = op_rank();
  const Net net(side_for_tiles(op2::core::topology_of_process().caches));
  Bits bits = Session(net).run();
  op_exit();
  return bits;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int rank = 0;
  const Bits first = run_session(rank);
  for (int session = 1; session < std::stoi(argv[2]); ++session)
    if (run_session(rank) != first) {
      std::printf("session %d has other bits than the first\n", session + 1);
      return 1;
    }
  std::ofstream file(std::string(argv[1]) + "." + std::to_string(rank), std::ios::binary);
  file.write(first.data(), std::ssize(first));
  return file.good() ? 0 : 1;
}
