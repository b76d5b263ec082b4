// SPDX-License-Identifier: BSD-3-Clause
// What the units of this program share: meshes that every rank knows as a whole, values on them,
// and how what the library made is compared with what plain loops over global arrays make.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "op_seq.h"

namespace features {

/// A set and the block of it that this rank declares.
struct Part {
  op_set set;
  int total;
  int begin;
  int size;
};

/// Entries of maps are global numbers. Rows of `edge_nodes` may have equal ends, those of
/// `cell_nodes` equal nodes; no node is in two pairs.
struct Mesh {
  std::string name;
  Part nodes, edges, cells, pairs;
  std::vector<int> edge_nodes, cell_nodes, pair_nodes;  ///< shapes [total x 2, 4, 2]
  op_map edges_to_nodes, cells_to_nodes, pairs_to_nodes;
};

/// Declares sets, maps and, with "PTSCOTCH" or "EXTERNAL", who owns what. Collective.
Mesh declare_mesh(const std::string& partitioner);

/// Declares a set of which the ranks hold blocks of different sizes, some nothing.
Part declare_part(int total, const char* name);
/// A map whose global entries are `entries`, shape [from.total x dim].
op_map declare_map(const Part& from, const Part& to, int dim, std::vector<int>& entries,
                   const char* name);
int rank_of_this();
int number_of_ranks();

/// Notes what is wrong with the feature that is running.
void fail(const std::string& text);

struct Feature {
  const char* name;
  void (*run)(const Mesh& mesh);
};
typedef std::vector<Feature> Features;
Features argument_features();
Features vector_features();
Features index_features();
Features global_features();
Features control_features();
Features dat_features();
Features lifetime_features();
Features constant_features();
Features kernel_features();
Features mesh_features();
Features set_features();
/// The part of "const_before_sets" that comes before any set.
void declare_early_constants();

/// An array; of bool too, which std::vector is not.
template <class T>
class Values {
 public:
  explicit Values(int count, T start = T()) : values_(new T[count + 1]), count_(count) {
    for (int k = 0; k < count; ++k) values_[k] = start;
  }
  Values(const Values& other) : values_(new T[other.count_ + 1]), count_(other.count_) {
    for (int k = 0; k < count_; ++k) values_[k] = other.values_[k];
  }
  T& operator[](int k) { return values_[k]; }
  const T& operator[](int k) const { return values_[k]; }
  T* data() { return values_.get(); }
  int size() const { return count_; }

 private:
  std::unique_ptr<T[]> values_;
  int count_;
};

/// Small whole numbers without a pattern: sums of them are exact in any order.
template <class T>
Values<T> numbers(int count, int seed) {
  Values<T> made(count);
  unsigned state = 12345u + 977u * static_cast<unsigned>(seed);
  for (int k = 0; k < count; ++k) {
    state = state * 1664525u + 1013904223u;
    made[k] = static_cast<T>((state >> 16) % 23u);
  }
  return made;
}
template <>
inline Values<bool> numbers<bool>(int count, int seed) {
  const Values<int> from = numbers<int>(count, seed);
  Values<bool> made(count);
  for (int k = 0; k < count; ++k) made[k] = from[k] % 3 == 0;
  return made;
}

template <class T>
const char* name_of_type();
template <>
inline const char* name_of_type<double>() {
  return "double";
}
template <>
inline const char* name_of_type<float>() {
  return "float";
}
template <>
inline const char* name_of_type<int>() {
  return "int";
}
template <>
inline const char* name_of_type<uint>() {
  return "uint";
}
template <>
inline const char* name_of_type<ll>() {
  return "ll";
}
template <>
inline const char* name_of_type<ull>() {
  return "ull";
}
template <>
inline const char* name_of_type<bool>() {
  return "bool";
}

/// A dat of which this rank gives its block of the global `values`, shape [part.total x dim].
template <class T>
op_dat declare(const Part& part, int dim, Values<T>& values, const char* name = "dat",
               const char* type = name_of_type<T>()) {
  return op_decl_dat(part.set, dim, type, values.data() + part.begin * dim, name);
}
template <class T>
op_dat declare_zeros(const Part& part, int dim, const char* name = "zeros") {
  Values<T> zeros(part.total * dim);
  return declare(part, dim, zeros, name);
}

template <class T>
void expect(const std::string& what, T found, T wanted) {
  if (found == wanted) return;
  std::ostringstream text;
  text.precision(17);
  text << what << ", found " << found << ", wanted " << wanted;
  fail(text.str());
}

/// Compares this rank's declared block of `dat` with the global `wanted`, shape [part.total x dim].
template <class T>
void expect_dat(const std::string& what, op_dat dat, const Part& part, int dim,
                const Values<T>& wanted) {
  Values<T> found(part.size * dim);
  op_fetch_data(dat, found.data());
  for (int k = 0; k < part.size * dim; ++k) {
    const int global = part.begin * dim + k;
    if (found[k] != wanted[global])
      return expect(what + " [" + std::to_string(global) + "]", found[k], wanted[global]);
  }
}

}  // namespace features
