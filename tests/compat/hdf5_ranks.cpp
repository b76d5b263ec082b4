// SPDX-License-Identifier: BSD-3-Clause
// A program for OP2's headers whose mesh comes from an HDF5 file, on any number of ranks.
//     hdf5_ranks write FILE       declares a mesh in blocks, computes, and writes it
//     hdf5_ranks read FILE        declares it from the file, compares, and computes on
//     hdf5_ranks fail KIND FILE   makes a mistake, which ends the program
// Prints what is wrong; the exit code is 1 then.
#include <vector>

#include "op_hdf5.h"
#include "op_lib_mpi.h"
#include "op_seq.h"

namespace {

const int node_count = 103, edge_count = 211;
int faults = 0;

double x_of(int k) {
  return 0.1 * (k % 300) + 1.0 / (1 + k / 3);
}
int number_of(int k) {
  return 7 * k - 300;
}
ll wide_of(int k) {
  return (ll(k) << 33) - 5;
}
bool flag_of(int k) {
  return k % 3 == 1;
}
int target_of(int edge, int end) {
  return (edge * 17 + end * (1 + edge % 5)) % node_count;
}

template <class T>
void expect(const char* what, int k, T found, T wanted) {
  if (found == wanted) return;
  if (++faults < 5) std::cout << what << " [" << k << "]: " << found << ", not " << wanted << "\n";
}

void double_it(const double* in, double* out) {
  *out = 2 * *in;
}
void ends_of(const int* left, const int* right, int* out) {
  out[0] = *left;
  out[1] = *right;
}
void spread(const int* number, double* left, double* right) {
  *left += *number % 11;
  *right += *number % 7;
}

/// Blocks of different sizes; the second of several ranks has nothing.
struct Block {
  int begin, size;
};
Block block_of(int total) {
  int rank = 0, ranks = 1, started = 0, begin = 0, all = 0;
  op_rank(&rank);
  MPI_Initialized(&started);
  if (started) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto weight = [&](int r) { return r == 1 ? 0 : 2 + r % 3; };
  for (int r = 0; r < ranks; ++r) {
    if (r < rank) begin += weight(r);
    all += weight(r);
  }
  const int end = begin + weight(rank);
  begin = total * begin / all;
  return {begin, total * end / all - begin};
}

template <class T, class Value>
op_dat declare(op_set set, Block block, int dim, const char* type, const char* name,
               const Value& value) {
  T* values = static_cast<T*>(op_malloc(sizeof(T) * dim * (block.size + 1)));
  for (int k = 0; k < dim * block.size; ++k) values[k] = value(dim * block.begin + k);
  op_dat dat = op_decl_dat(set, dim, type, values, name);
  op_free(values);
  return dat;
}

void write_file(const char* file) {
  const Block nodes = block_of(node_count), edges = block_of(edge_count);
  op_set node = op_decl_set(nodes.size, "nodes"), edge = op_decl_set(edges.size, "edges");
  op_decl_set(0, "nothing");
  std::vector<int> ends;
  for (int k = 0; k < 2 * edges.size; ++k) ends.push_back(target_of(edges.begin + k / 2, k % 2));
  op_map map = op_decl_map(edge, node, 2, ends.data(), "edge_nodes");
  op_dat x = declare<double>(node, nodes, 3, "double", "x", x_of);
  declare<int>(node, nodes, 1, "int", "number", number_of);
  declare<ll>(edge, edges, 1, "ll", "group/wide", wide_of);
  declare<bool>(edge, edges, 2, "bool", "flag", flag_of);
  op_dat half = declare<double>(edge, edges, 1, "double:soa", "half", x_of);
  op_dat twice = op_decl_dat(edge, 1, "double", static_cast<double*>(NULL), "twice");
  op_partition("PTSCOTCH", "KWAY", node, map, NULL);
  op_par_loop(double_it, "double_it", edge, op_arg_dat(half, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(twice, -1, OP_ID, 1, "double", OP_WRITE));
  op_dump_to_hdf5(file);
  double gam = 1.4, table[3] = {1, 2.5, -1e300};
  int count = -7;
  op_write_const_hdf5("gam", 1, "double", reinterpret_cast<char*>(&gam), file);
  op_write_const_hdf5("constants/table", 3, "double", reinterpret_cast<char*>(table), file);
  op_write_const_hdf5("count", 1, "int", reinterpret_cast<char*>(&count), file);
  op_fetch_data_hdf5_file_path(x, file, "results/step_1/x");
  op_fetch_data_hdf5_file(twice, file);  // in place of what is there
}

template <class T, class Value>
void expect_dat(op_dat dat, int total, const Value& value) {
  if (dat == NULL) return expect("dats that are missing", 0, 1, 0);
  T* found = static_cast<T*>(op_calloc(sizeof(T), dat->dim * total));
  op_fetch_data_idx(dat, found, 0, total - 1);
  for (int k = 0; k < dat->dim * total; ++k) expect<T>(dat->name, k, found[k], value(k));
  op_free(found);
}

void expect_constants(const char* file) {
  double gam = 0, table[3] = {};
  int count = 0;
  op_get_const_hdf5("gam", 1, "double", reinterpret_cast<char*>(&gam), file);
  op_get_const_hdf5("constants/table", 3, "double", reinterpret_cast<char*>(table), file);
  op_get_const_hdf5("count", 1, "int", reinterpret_cast<char*>(&count), file);
  expect("gam", 0, gam, 1.4);
  expect("table", 1, table[1], 2.5);
  expect("table", 2, table[2], -1e300);
  expect("count", 0, count, -7);
}

/// A loop over what came from the file, once as it is and once distributed.
void compute(op_set edge, op_set node, op_map map) {
  op_dat found = op_decl_dat(edge, 2, "int", static_cast<int*>(NULL), "found");
  op_dat sum = op_decl_dat(node, 1, "double", static_cast<double*>(NULL), "sum");
  std::vector<double> wanted(node_count);
  for (int step = 0; step < 2; ++step) {
    op_par_loop(ends_of, "ends_of", edge, op_arg_idx(0, map), op_arg_idx(1, map),
                op_arg_dat(found, -1, OP_ID, 2, "int", OP_WRITE));
    op_par_loop(spread, "spread", edge, op_arg_idx(-1, OP_ID),
                op_arg_dat(sum, 0, map, 1, "double", OP_INC),
                op_arg_dat(sum, 1, map, 1, "double", OP_INC));
    expect_dat<int>(found, edge_count, [](int k) { return target_of(k / 2, k % 2); });
    for (int e = 0; e < edge_count; ++e) {
      wanted[target_of(e, 0)] += e % 11;
      wanted[target_of(e, 1)] += e % 7;
    }
    expect_dat<double>(sum, node_count, [&](int k) { return wanted[k]; });
    op_partition("PTSCOTCH", "KWAY", node, map, NULL);
  }
}

void read_file(const char* file) {
  op_set node = op_decl_set_hdf5(file, "nodes");
  op_set edge = op_decl_set_hdf5_infer_size(file, "edges", "edge_nodes");
  op_set nothing = op_decl_set_hdf5(file, "nothing");
  op_map map = op_decl_map_hdf5(edge, node, 2, file, "edge_nodes");
  expect("nodes", 0, op_get_size(node), idx_g_t(node_count));
  expect("edges", 0, op_get_size(edge), idx_g_t(edge_count));
  expect("nothing", 0, op_get_size(nothing), idx_g_t(0));
  expect_dat<double>(op_decl_dat_hdf5(node, 3, "double", file, "x"), node_count, x_of);
  expect_dat<double>(op_decl_dat_hdf5(node, 3, "double", file, "results/step_1/x"), node_count,
                     x_of);
  expect_dat<int>(op_decl_dat_hdf5(node, 1, "int", file, "number"), node_count, number_of);
  expect_dat<ll>(op_decl_dat_hdf5(edge, 1, "ll", file, "group/wide"), edge_count, wide_of);
  expect_dat<bool>(op_decl_dat_hdf5(edge, 2, "bool", file, "flag"), edge_count, flag_of);
  expect_dat<double>(op_decl_dat_hdf5(edge, 1, "double:soa", file, "half"), edge_count, x_of);
  expect_dat<double>(op_decl_dat_hdf5(edge, 1, "double", file, "twice"), edge_count,
                     [](int k) { return 2 * x_of(k); });
  expect_dat<float>(op_decl_dat_hdf5(node, 3, "float", file, "x"), node_count,
                    [](int k) { return static_cast<float>(x_of(k)); });
  expect("a dat that is not there", 0, op_decl_dat_hdf5(node, 1, "double", file, "absent") == NULL,
         true);
  expect("a map that is not there", 0, op_decl_map_hdf5(edge, node, 2, file, "absent") == NULL,
         true);
  expect_constants(file);
  compute(edge, node, map);
}

void make_mistake(const std::string& kind, const char* file) {
  double value = 0;
  if (kind == "missing_file") op_decl_set_hdf5("no_such_file.h5", "nodes");
  if (kind == "missing_set") op_decl_set_hdf5(file, "absent");
  op_set node = op_decl_set_hdf5(file, "nodes"), edge = op_decl_set_hdf5(file, "edges");
  op_set few = op_decl_set(1, "few");
  if (kind == "missing_file_of_map") op_decl_map_hdf5(edge, node, 2, "no_such_file.h5", "x");
  if (kind == "wrong_dim_of_map") op_decl_map_hdf5(edge, node, 3, file, "edge_nodes");
  if (kind == "wrong_entries") op_decl_map_hdf5(edge, few, 2, file, "edge_nodes");
  if (kind == "wrong_type") op_decl_dat_hdf5(node, 3, "int", file, "x");
  if (kind == "unknown_type") op_decl_dat_hdf5(node, 3, "quadruple", file, "x");
  if (kind == "wrong_dim") op_decl_dat_hdf5(node, 2, "double", file, "x");
  if (kind == "wrong_size") op_decl_dat_hdf5(edge, 3, "double", file, "x");
  if (kind == "truncated") op_decl_dat_hdf5(node, 3, "double", file, "x");
  if (kind == "missing_constant")
    op_get_const_hdf5("absent", 1, "double", reinterpret_cast<char*>(&value), file);
  op_printf("survived: %s\n", kind.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 1);
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "write") write_file(argv[2]);
  if (mode == "read") read_file(argv[2]);
  if (mode == "fail") make_mistake(argv[2], argv[3]);
  op_exit();
  return faults == 0 ? 0 : 1;
}
