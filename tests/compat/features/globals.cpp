// SPDX-License-Identifier: BSD-3-Clause
// Globals of all types and some dims, in each access mode.
#include "features.hpp"

namespace features {
namespace {

template <class T, int dim>
void add(const T* value, T* sum) {
  for (int d = 0; d < dim; ++d) sum[d] += value[d];
}
template <class T, int dim>
void least(const T* value, T* best) {
  for (int d = 0; d < dim; ++d)
    if (value[d] < best[d]) best[d] = value[d];
}
template <class T, int dim>
void greatest(const T* value, T* best) {
  for (int d = 0; d < dim; ++d) best[d] = MAX(best[d], value[d]);
}
template <class T, int dim>
void combine(const T* value, const T* other, T* out) {
  for (int d = 0; d < dim; ++d) out[d] = value[d] + other[d];
}
template <class T, int dim>
void set_all(const T* given, T* out) {
  for (int d = 0; d < dim; ++d) out[d] = given[dim - 1 - d];
}

/// A reduction of a dat to a global that begins with `start`.
template <class T, int dim>
Values<T> reduced(const Mesh& mesh, void (*kernel)(const T*, T*), Values<T>& values, T start,
                  int access) {
  op_dat dat = declare(mesh.nodes, dim, values);
  Values<T> result(dim, start);
  op_par_loop(kernel, "reduced", mesh.nodes.set,
              op_arg_dat(dat, -1, OP_ID, dim, name_of_type<T>(), OP_READ),
              op_arg_gbl(result.data(), dim, name_of_type<T>(), access));
  return result;
}

template <class T, int dim>
void check_inc(const Mesh& mesh) {
  Values<T> values = numbers<T>(dim * mesh.nodes.total, dim);
  const Values<T> found = reduced<T, dim>(mesh, add<T, dim>, values, T(1), OP_INC);
  Values<T> wanted(dim, T(1));
  for (int k = 0; k < values.size(); ++k) wanted[k % dim] += values[k];
  for (int d = 0; d < dim; ++d) expect("INC of dim " + std::to_string(dim), found[d], wanted[d]);
}
template <class T, int dim>
void check_min(const Mesh& mesh) {
  Values<T> values = numbers<T>(dim * mesh.nodes.total, dim + 1);
  for (int k = 0; sizeof(T) > 1 && k < values.size(); ++k) values[k] += T(2);
  const T start = sizeof(T) > 1 ? T(100) : T(1);
  const Values<T> found = reduced<T, dim>(mesh, least<T, dim>, values, start, OP_MIN);
  Values<T> wanted(dim, start);
  for (int k = 0; k < values.size(); ++k) wanted[k % dim] = MIN(wanted[k % dim], values[k]);
  for (int d = 0; d < dim; ++d) expect("MIN of dim " + std::to_string(dim), found[d], wanted[d]);
}
template <class T, int dim>
void check_max(const Mesh& mesh) {
  Values<T> values = numbers<T>(dim * mesh.nodes.total, dim + 2);
  const Values<T> found = reduced<T, dim>(mesh, greatest<T, dim>, values, T(0), OP_MAX);
  Values<T> wanted(dim, T(0));
  for (int k = 0; k < values.size(); ++k) wanted[k % dim] = MAX(wanted[k % dim], values[k]);
  for (int d = 0; d < dim; ++d) expect("MAX of dim " + std::to_string(dim), found[d], wanted[d]);
}
template <class T, int dim>
void check_read(const Mesh& mesh) {
  Values<T> values = numbers<T>(dim * mesh.nodes.total, dim), other = numbers<T>(dim, 8);
  op_dat in = declare(mesh.nodes, dim, values), out = declare_zeros<T>(mesh.nodes, dim);
  op_par_loop(combine<T, dim>, "combine", mesh.nodes.set,
              op_arg_dat(in, -1, OP_ID, dim, name_of_type<T>(), OP_READ),
              op_arg_gbl(other.data(), dim, name_of_type<T>(), OP_READ),
              op_arg_dat(out, -1, OP_ID, dim, name_of_type<T>(), OP_WRITE));
  for (int k = 0; k < values.size(); ++k) values[k] = values[k] + other[k % dim];
  for (int d = 0; d < dim; ++d) other[d] = T(0);  // the loop saw it as it was at the call
  expect_dat("READ of dim " + std::to_string(dim), out, mesh.nodes, dim, values);
}
template <class T, int dim>
void check_write(const Mesh& mesh) {
  Values<T> given = numbers<T>(dim, 9), found(dim, T(1));
  op_par_loop(set_all<T, dim>, "set_all", mesh.nodes.set,
              op_arg_gbl(given.data(), dim, name_of_type<T>(), OP_READ),
              op_arg_gbl(found.data(), dim, name_of_type<T>(), OP_WRITE));
  for (int d = 0; d < dim; ++d)
    expect("WRITE of dim " + std::to_string(dim), found[d], given[dim - 1 - d]);
}

template <class T>
void inc(const Mesh& mesh) {
  check_inc<T, 1>(mesh);
  check_inc<T, 3>(mesh);
  check_inc<T, 20>(mesh);
}
template <class T>
void min(const Mesh& mesh) {
  check_min<T, 1>(mesh);
  check_min<T, 3>(mesh);
  check_min<T, 20>(mesh);
}
template <class T>
void max(const Mesh& mesh) {
  check_max<T, 1>(mesh);
  check_max<T, 3>(mesh);
  check_max<T, 20>(mesh);
}
template <class T>
void read(const Mesh& mesh) {
  check_read<T, 1>(mesh);
  check_read<T, 3>(mesh);
  check_read<T, 20>(mesh);
}
template <class T>
void write(const Mesh& mesh) {
  check_write<T, 1>(mesh);
  check_write<T, 3>(mesh);
  check_write<T, 20>(mesh);
}

constexpr int many = 20000;

void count(const int* bin, const double* weights, double* sums) {
  sums[*bin] += weights[*bin];
}

/// A histogram with a table of weights: 160 kB each.
void many_values(const Mesh& mesh) {
  Values<int> bins(mesh.nodes.total);
  Values<double> weights(many), sums(many, 1.0), wanted(many, 1.0);
  for (int k = 0; k < many; ++k) weights[k] = 1 + k % 5;
  for (int k = 0; k < bins.size(); ++k) {
    bins[k] = (k / 2 * 7919) % many;
    wanted[bins[k]] += weights[bins[k]];
  }
  op_dat bin = declare(mesh.nodes, 1, bins);
  op_par_loop(count, "count", mesh.nodes.set, op_arg_dat(bin, -1, OP_ID, 1, "int", OP_READ),
              op_arg_gbl(weights.data(), many, "double", OP_READ),
              op_arg_gbl(sums.data(), many, "double", OP_INC));
  for (int k = 0; k < many; ++k) expect("bin " + std::to_string(k), sums[k], wanted[k]);
}

}  // namespace

Features global_features() {
  return {{"global_of_many_values", many_values},
          {"global_inc_double", inc<double>},
          {"global_min_double", min<double>},
          {"global_max_double", max<double>},
          {"global_read_double", read<double>},
          {"global_write_double", write<double>},
          {"global_inc_float", inc<float>},
          {"global_min_float", min<float>},
          {"global_max_float", max<float>},
          {"global_read_float", read<float>},
          {"global_write_float", write<float>},
          {"global_inc_int", inc<int>},
          {"global_min_int", min<int>},
          {"global_max_int", max<int>},
          {"global_read_int", read<int>},
          {"global_write_int", write<int>},
          {"global_inc_uint", inc<uint>},
          {"global_min_uint", min<uint>},
          {"global_max_uint", max<uint>},
          {"global_read_uint", read<uint>},
          {"global_write_uint", write<uint>},
          {"global_inc_ll", inc<ll>},
          {"global_min_ll", min<ll>},
          {"global_max_ll", max<ll>},
          {"global_read_ll", read<ll>},
          {"global_write_ll", write<ll>},
          {"global_inc_ull", inc<ull>},
          {"global_min_ull", min<ull>},
          {"global_max_ull", max<ull>},
          {"global_read_ull", read<ull>},
          {"global_write_ull", write<ull>},
          {"global_inc_bool", inc<bool>},
          {"global_min_bool", min<bool>},
          {"global_max_bool", max<bool>},
          {"global_read_bool", read<bool>},
          {"global_write_bool", write<bool>}};
}

}  // namespace features
