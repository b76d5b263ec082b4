// SPDX-License-Identifier: BSD-3-Clause
// Kernels without source, each for one reason.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "op_seq.h"

double elsewhere(double x);
struct Parameters {
  double factor;
};
Parameters parameters;
thread_local double scratch;
struct Base {
  virtual double value() const { return 1; }
};
class Hidden {
  static void secret(double* x) { x[0] = 1; }

 public:
  static void run(op_set set, op_arg x) { op_par_loop(secret, "secret", set, x); }
};

inline void external(double* x) {
  x[0] = elsewhere(x[0]);
}
inline void prints(double* x) {
  std::cout << x[0];
}
inline void grows(double* x) {
  std::vector<double> list(3);
  x[0] = list[0];
}
inline void structure(double* x) {
  x[0] = parameters.factor;
}
inline void threads(double* x) {
  x[0] = scratch;
}
inline void counts(double* x) {
  static int calls = 0;
  x[0] = ++calls;
}
inline void allocates(double* x) {
  double* copy = new double(x[0]);
  x[0] = *copy;
  delete copy;
}
inline void throws(double* x) {
  if (x[0] < 0) throw 1;
}
inline void virtuals(double* x) {
  x[0] = Base().value();
}
double changed = 0;
inline void changes(double* x) {
  changed += x[0];
}
inline void reads_environment(double* x) {
  x[0] = std::getenv("HOME") != nullptr;
}

#pragma pack(push, 1)
struct Tight {
  char c;
  double d;
};
#pragma pack(pop)
inline void packed(double* x) {
  x[0] = Tight{'a', 1}.d;
}
volatile double port = 1;
inline void volatiles(double* x) {
  x[0] = port;
}
void kernel_elsewhere(double* x);
const auto square = [](double v) { return v * v; };
template <class F>
void of_lambda(double* x) {
  x[0] = F(square)(x[0]);
}

double list[3] = {1, 2, 3};
static void set_first(double* values) {
  values[0] = 5;
}
static double* same(double* values) {
  return values;
}
struct View {
  double* values;
};
inline void changes_by_pointer(double* x) {
  double* first = list;
  *first++ = x[0];
}
inline void changes_by_reference(double* x) {
  double& first = list[0];
  first += x[0];
}
inline void changes_by_helper(double* x) {
  set_first(x[0] > 0 ? list : list + 1);
}
inline void changes_by_second_pointer(double* x) {
  double *first = x, *second;
  second = first;
  first = list;
  second = first;
  second[1]++;
}
inline void changes_by_cast(double* x) {
  ((double*)list)[0] = x[0];
}
inline void changes_by_element(double* x) {
  for (double& each : list) each = x[0];
}
inline void loses_by_result(double* x) {
  x[0] = *same(list);
}
inline void loses_by_member(double* x) {
  View view = {list};
  x[0] = view.values[1];
}
inline void loses_by_array(double* x) {
  double* both[2] = {list, x};
  both[0][0] = x[1];
}
inline void loses_by_lambda(double* x) {
  double* first = list;
  const auto set = [&](double* to) { to[0] = *(first = to); };
  set(x);
}
inline void loses_by_bytes(double* x) {
  char* bytes = reinterpret_cast<char*>(list);
  double* back = reinterpret_cast<double*>(bytes);
  back = list;
  x[0] = *back + bytes[0];
}

inline double fabs(int x) {
  return -x;
}
template <class T>
double magnitude(T x) {
  return fabs(x);
}
inline void instances(double* x) {
  x[0] = magnitude(x[0]) + magnitude(int(x[0]));
}
template <class T, class = decltype(T().norm())>
double norm_of(const T& v, int) {
  return 1;
}
template <class T>
double norm_of(const T& v, long) {
  return 2;
}
struct Vector {
  double norm() const { return 0; }
};
inline void members(double* x) {
  x[0] = norm_of(Vector(), 0);
}

inline void fills(double* x) {
  x[0] = parameters.factor;
  x[1] = x[0];
}

void run_changes(op_set set, op_arg x) {
  op_par_loop(fills, "l", set, op_arg_dat(nullptr, -1, OP_ID, 2, "double", OP_WRITE));
  op_par_loop(fills, "l", set, op_arg_dat(nullptr, -1, OP_ID, 3, "double", OP_WRITE));
  op_par_loop(changes_by_pointer, "l", set, x);
  op_par_loop(changes_by_reference, "l", set, x);
  op_par_loop(changes_by_helper, "l", set, x);
  op_par_loop(changes_by_second_pointer, "l", set, x);
  op_par_loop(changes_by_cast, "l", set, x);
  op_par_loop(changes_by_element, "l", set, x);
  op_par_loop(loses_by_result, "l", set, x);
  op_par_loop(loses_by_member, "l", set, x);
  op_par_loop(loses_by_array, "l", set, x);
  op_par_loop(loses_by_lambda, "l", set, x);
  op_par_loop(loses_by_bytes, "l", set, x);
}

// Below a folder of the standard library, but not in namespace std.
#include <experimental/numeric>
void of_another_namespace(double* x) {
  x[0] = std::experimental::gcd(12, 18);
}

void run(op_set set, op_arg x, void (*given)(double*, double*)) {
  op_par_loop(external, "external", set, x);
  op_par_loop(prints, "prints", set, x);
  op_par_loop(grows, "grows", set, x);
  op_par_loop(structure, "structure", set, x);
  op_par_loop(threads, "threads", set, x);
  op_par_loop(counts, "counts", set, x);
  op_par_loop(allocates, "allocates", set, x);
  op_par_loop(throws, "throws", set, x);
  op_par_loop(virtuals, "virtuals", set, x);
  op_par_loop(changes, "changes", set, x);
  op_par_loop(reads_environment, "environment", set, x);
  op_par_loop(of_another_namespace, "another_namespace", set, x);
  op_par_loop(
      +[](double* x) { x[0] = 1; }, "lambda", set, x);
  op_par_loop(given, "given", set, x, x);
  op_par_loop(kernel_elsewhere, "kernel_elsewhere", set, x);
  op_par_loop(packed, "packed", set, x);
  op_par_loop(volatiles, "volatiles", set, x);
  op_par_loop(instances, "instances", set, x);
  op_par_loop(members, "members", set, x);
  op_par_loop(of_lambda<decltype(square)>, "of_lambda", set, x);
  Hidden::run(set, x);
}
