// SPDX-License-Identifier: BSD-3-Clause
// Lesson 8, step 3: the same program in the interface of libop2, on any number of ranks. Loops and
// kernels are those of step 2; dims and types are those of the dats, the energy is lazy, and each
// rank declares its block of the net.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

constexpr int side = 20;
double stiffness = 50, dt = 0.001;

OP_KERNEL(pull, (const double* x1, const double* x2, const double* length, double* f1,
                 double* f2), {
  const double d[3] = {x2[0] - x1[0], x2[1] - x1[1], x2[2] - x1[2]};
  const double now = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int k = 0; k < 3; ++k) {
    const double force = stiffness * (now - *length) / now * d[k];
    f1[k] += force;
    f2[k] -= force;
  }
});

OP_KERNEL(fall, (const double* free, double* f, double* v, double* x), {
  for (int k = 0; k < 3; ++k) {
    const double a = f[k] / 0.01 - (k == 2 ? 9.81 : 0) - 2 * v[k];
    v[k] += *free * dt * a;
    x[k] += dt * v[k];
    f[k] = 0;
  }
});

// A kernel may also be a string: one that the program reads or writes when it runs.
constexpr const char* measure_source = R"(
void measure(const double* v, double* energy) {
  *energy += 0.005 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
})";

struct Net {
  op_set masses, springs;
  op_map ends, corners;  // of springs, and of triangles for the picture
  op_dat x, free, length, v, f;
};

// The masses of this rank are whole rows of the net, with the springs and triangles to the right and
// to the next row.
Net declare_net() {
  const int first = side * op_rank() / op_ranks(), last = side * (op_rank() + 1) / op_ranks();
  std::vector<int> ends, corners;
  std::vector<double> x, free;
  for (int k = side * first; k < side * last; ++k) {
    const int i = k % side, j = k / side;
    x.insert(x.end(), {double(i) / side, double(j) / side, 0});
    free.push_back((i == 0 || i == side - 1) && (j == 0 || j == side - 1) ? 0 : 1);
    if (i + 1 < side) ends.insert(ends.end(), {k, k + 1});
    if (j + 1 < side) ends.insert(ends.end(), {k, k + side});
    if (i + 1 < side && j + 1 < side)
      corners.insert(corners.end(), {k, k + 1, k + side, k + 1, k + side + 1, k + side});
  }
  const std::vector<double> lengths(ends.size() / 2, 1.0 / side);
  const double* zeros = nullptr;
  Net net{};
  net.masses = op_decl_set(side * (last - first), "masses");
  net.springs = op_decl_set(static_cast<int>(lengths.size()), "springs");
  net.ends = op_decl_map(net.springs, net.masses, 2, ends, "ends");
  const op_set triangles = op_decl_set(static_cast<int>(corners.size() / 3), "triangles");
  net.corners = op_decl_map(triangles, net.masses, 3, corners, "corners");
  net.x = op_decl_dat(net.masses, 3, x, "x");
  net.free = op_decl_dat(net.masses, 1, free, "free");
  net.length = op_decl_dat(net.springs, 1, lengths, "length");
  net.v = op_decl_dat(net.masses, 3, zeros, "v");
  net.f = op_decl_dat(net.masses, 3, zeros, "f");
  op_partition("PTSCOTCH", "KWAY", net.masses, net.ends, net.x);
  return net;
}

void run() {
  const Net net = declare_net();
  op_decl_const(1, &stiffness, "stiffness");
  op_decl_const(1, &dt, "dt");
  const op_kernel measure = op_decl_kernel("measure", measure_source);
  const double zero = 0;
  const op_global energy = op_decl_global(1, &zero, "energy");
  const int middle = side / 2 * side + side / 2;
  for (int step = 1; step <= 1000; ++step) {
    op_par_loop(pull, "pull", net.springs,
                op_arg_dat(net.x, 0, net.ends, OP_READ), op_arg_dat(net.x, 1, net.ends, OP_READ),
                op_arg_dat(net.length, OP_READ),
                op_arg_dat(net.f, 0, net.ends, OP_INC), op_arg_dat(net.f, 1, net.ends, OP_INC));
    op_par_loop(fall, "fall", net.masses,
                op_arg_dat(net.free, OP_READ), op_arg_dat(net.f, OP_RW),
                op_arg_dat(net.v, OP_RW), op_arg_dat(net.x, OP_RW));
    if (step % 250 != 0) continue;
    op_set_global(energy, &zero);
    op_par_loop(measure, "measure", net.masses,
                op_arg_dat(net.v, OP_READ), op_arg_gbl(energy, OP_INC));
    double position[3], sum = 0;
    op_fetch_data_idx(net.x, position, middle, middle);  // the global index, on all ranks
    op_fetch_global(energy, &sum);
    op_printf("step %4d  height %.6f  energy %.6f\n", step, position[2], sum);
  }
  op_write_pvtu("net.pvtu", net.corners, net.x, {&net.v, 1});
}

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    run();
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // on every rank: it may be of this rank alone
    return EXIT_FAILURE;
  }
}
