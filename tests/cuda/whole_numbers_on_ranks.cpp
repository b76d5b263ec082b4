// SPDX-License-Identifier: BSD-3-Clause
// Steps on a mesh in which every row of every dat changes each time, so that whatever a device
// leaves out changes what a rank sees. All values are whole numbers: sums do not depend on order.
// usage: whole_numbers_on_ranks     each rank prints the hash of what it has seen
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <op2/op2.hpp>

namespace {

constexpr int size = 200, steps = 4, parts = 2;  // of a step
double factor = 1;

OP_KERNEL(keep, (const double* state, const double* speed, double* old), {
  old[0] = state[0];
  old[1] = state[1] + *speed;
});
OP_KERNEL(find_speed, (const double* state, double* speed),
          { *speed = static_cast<double>(static_cast<int>(5 * state[0] + 3 * state[1]) % 101); });
OP_KERNEL(add_flux,
          (const double* length, const double* left, const double* right, const double* left_speed,
           const double* right_speed, double* to_left, double* to_right),
          {
            for (int k = 0; k < 2; ++k) {
              to_left[k] += right[k] * *right_speed + factor * *length;
              to_right[k] += left[k] * 2 + *left_speed;
            }
          });
OP_KERNEL(add_at_end, (const double* load, const double* state, double* to), {
  to[0] += *load * state[1];
  to[1] += *load + state[0];
});
OP_KERNEL(advance, (const double* old, double* residual, double* state, double* total), {
  for (int k = 0; k < 2; ++k) {
    state[k] = static_cast<double>(static_cast<int>(7 * old[k] + state[k] + residual[k]) % 1009);
    residual[k] = 0;
    *total += state[k];
  }
});
OP_KERNEL(follow, (const double* sum, const double* state, double* next),
          { *next += static_cast<double>(static_cast<int>(*sum + state[0]) % 31); });

/// The hash of what a rank has seen.
class Seen {
 public:
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash_ = (hash_ ^ bits) * 1099511628211U;
      hash_ ^= hash_ >> 29;
    }
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

std::vector<double> numbers(int count, int first) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back((first + k) * 37 % 97 + 1);
  return values;
}

/// A ring of nodes, the edges between them, and loads on some. Each rank has an equal part.
struct Mesh {
  int begin = op_rank() * size / op_ranks(), mine = (op_rank() + 1) * size / op_ranks() - begin;
  op_set nodes = op_decl_set(mine, "nodes"), edges = op_decl_set(mine, "edges"),
         loads = op_decl_set(mine / 5, "loads");
  op_map ends{}, place{};
  op_dat state{}, old{}, speed{}, residual{}, length{}, load{};
  op_global sum{}, next{};

  Mesh() {
    std::vector<int> of_edges, of_loads;
    for (int edge = begin; edge < begin + mine; ++edge)
      of_edges.insert(of_edges.end(), {edge, (edge + 7) % size});
    for (int k = 0; k < mine / 5; ++k) of_loads.push_back((begin + 5 * k + 3) % size);
    ends = op_decl_map(edges, nodes, 2, of_edges.data(), "ends");
    place = op_decl_map(loads, nodes, 1, of_loads.data(), "place");
    state = op_decl_dat(nodes, 2, numbers(2 * mine, 2 * begin).data(), "state");
    old = op_decl_dat<double>(nodes, 2, nullptr, "old");
    speed = op_decl_dat(nodes, 1, numbers(mine, begin + 7).data(), "speed");
    residual = op_decl_dat(nodes, 2, numbers(2 * mine, begin + 11).data(), "residual");
    length = op_decl_dat(edges, 1, numbers(mine, begin + 5).data(), "length");
    load = op_decl_dat(loads, 1, numbers(mine / 5, begin + 3).data(), "load");
    const double start = 3;
    sum = op_decl_global(1, &start, "sum");
    next = op_decl_global(1, &start, "next");
  }
};

/// @return a sum over all ranks
double run_step(const Mesh& m, int step) {
  double total = step;
  op_par_loop(keep, "keep", m.nodes, op_arg_dat(m.state, OP_READ), op_arg_dat(m.speed, OP_READ),
              op_arg_dat(m.old, OP_WRITE));
  for (int part = 0; part < parts; ++part) {
    op_par_loop(find_speed, "find_speed", m.nodes, op_arg_dat(m.state, OP_READ),
                op_arg_dat(m.speed, OP_WRITE));
    op_par_loop(add_flux, "add_flux", m.edges, op_arg_dat(m.length, OP_READ),
                op_arg_dat(m.state, 0, m.ends, OP_READ), op_arg_dat(m.state, 1, m.ends, OP_READ),
                op_arg_dat(m.speed, 0, m.ends, OP_READ), op_arg_dat(m.speed, 1, m.ends, OP_READ),
                op_arg_dat(m.residual, 0, m.ends, OP_INC),
                op_arg_dat(m.residual, 1, m.ends, OP_INC));
    op_par_loop(add_at_end, "add_at_end", m.loads, op_arg_dat(m.load, OP_READ),
                op_arg_dat(m.state, 0, m.place, OP_READ),
                op_arg_dat(m.residual, 0, m.place, OP_INC));
    op_par_loop(advance, "advance", m.nodes, op_arg_dat(m.old, OP_READ),
                op_arg_dat(m.residual, OP_RW), op_arg_dat(m.state, OP_RW),
                op_arg_gbl(&total, 1, "double", OP_INC));
  }
  for (int k = 0; k < 2; ++k)
    op_par_loop(follow, "follow", m.nodes, op_arg_gbl(k % 2 == 0 ? m.sum : m.next, OP_READ),
                op_arg_dat(m.state, OP_READ), op_arg_gbl(k % 2 == 0 ? m.next : m.sum, OP_INC));
  op_flush();
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv);
  op_decl_const(1, &factor, "factor");
  const Mesh mesh;
  Seen seen;
  for (int step = 0; step < steps; ++step) {
    seen.add({run_step(mesh, step)});
    factor += step + 1;
    op_decl_const(1, &factor, "factor");
    if (step % 2 == 0) continue;
    for (const op_dat dat : {mesh.state, mesh.speed, mesh.old, mesh.residual}) {
      std::vector<double> values(static_cast<std::size_t>(mesh.mine) * 2);
      op_fetch_data(dat, values.data());
      seen.add(values);
    }
  }
  for (const op_global global : {mesh.sum, mesh.next}) {
    double value = 0;
    op_fetch_global(global, &value);
    seen.add({value});
  }
  std::printf("rank %d has seen %016llx\n", op_rank(),
              static_cast<unsigned long long>(seen.hash()));
  op_exit();
}
