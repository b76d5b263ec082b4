// SPDX-License-Identifier: BSD-3-Clause
// OP2_REPRODUCIBLE=on: elementary functions have the same bits at all levels of x86-64, in vectors
// and one by one, whether or not the compiler knows their arguments; and they are accurate.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Long = long double;

/// Largest error in units of the last place, of arguments from a range where results are finite and
/// not denormal.
struct Function {
  const char* call;  ///< of the kernel; `f` is the suffix of the type
  Long (*exact)(Long x, Long y);
  double low, high;  ///< range of x; y is in 0.5 ... 4
  double error = 1.0;
};

const Function functions[] = {
    {"std::acos(x[0])", [](Long x, Long) { return std::acos(x); }, -1, 1},
    {"std::acosh(x[0])", [](Long x, Long) { return std::acosh(x); }, 1, 1e6},
    {"std::asin(x[0])", [](Long x, Long) { return std::asin(x); }, -1, 1},
    {"std::asinh(x[0])", [](Long x, Long) { return std::asinh(x); }, -1e6, 1e6},
    {"std::atan(x[0])", [](Long x, Long) { return std::atan(x); }, -50, 50},
    {"std::atan2(x[0], x[1])", [](Long x, Long y) { return std::atan2(x, y); }, -50, 50},
    {"std::atanh(x[0])", [](Long x, Long) { return std::atanh(x); }, -1, 1},
    {"std::cbrt(x[0])", [](Long x, Long) { return std::cbrt(x); }, -1e9, 1e9},
    {"std::cos(x[0])", [](Long x, Long) { return std::cos(x); }, -100, 100},
    {"std::cosh(x[0])", [](Long x, Long) { return std::cosh(x); }, -80, 80},
    {"std::erf(x[0])", [](Long x, Long) { return std::erf(x); }, -6, 6},
    {"std::erfc(x[0])", [](Long x, Long) { return std::erfc(x); }, -6, 9, 1.5},
    {"std::exp(x[0])", [](Long x, Long) { return std::exp(x); }, -80, 80},
    {"exp10@(x[0])", [](Long x, Long) { return exp10l(x); }, -35, 35},
    {"std::exp2(x[0])", [](Long x, Long) { return std::exp2(x); }, -120, 120},
    {"std::expm1(x[0])", [](Long x, Long) { return std::expm1(x); }, -2, 2},
    {"std::hypot(x[0], x[1])", [](Long x, Long y) { return std::hypot(x, y); }, -50, 50, 0.51},
    {"std::lgamma(x[0])", [](Long x, Long) { return std::lgamma(x); }, 2.5, 90},
    {"std::log(x[0])", [](Long x, Long) { return std::log(x); }, 1e-9, 50},
    {"std::log10(x[0])", [](Long x, Long) { return std::log10(x); }, 1e-9, 50},
    {"std::log1p(x[0])", [](Long x, Long) { return std::log1p(x); }, -1, 50},
    {"std::log2(x[0])", [](Long x, Long) { return std::log2(x); }, 1e-9, 50},
    {"std::pow(x[0], x[1])", [](Long x, Long y) { return std::pow(x, y); }, 1e-3, 1e6},
    {"std::pow(x[0], 2)", [](Long x, Long) { return x * x; }, -1e6, 1e6},
    {"std::sin(x[0])", [](Long x, Long) { return std::sin(x); }, -100, 100},
    {"std::sinh(x[0])", [](Long x, Long) { return std::sinh(x); }, -80, 80},
    {"std::tan(x[0])", [](Long x, Long) { return std::tan(x); }, -100, 100},
    {"std::tanh(x[0])", [](Long x, Long) { return std::tanh(x); }, -5, 5},
    {"std::tgamma(x[0])", [](Long x, Long) { return std::tgamma(x); }, 0.1, 30},
};
constexpr int count = static_cast<int>(std::size(functions)), per_loop = 8;

constexpr int elements = 3001;  // not a multiple of any SIMD width

template <class T>
const char* const type_name = sizeof(T) == 8 ? "double" : "float";

/// Levels of x86-64 that this processor has; elsewhere the processor itself.
std::vector<const char*> levels() {
#if defined(__x86_64__)
  std::vector<const char*> found{"x86-64-v2"};
  const bool is_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (is_v3) found.push_back("x86-64-v3");
  if (is_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    found.push_back("x86-64-v4");
  return found;
#else
  return {"host"};
#endif
}

/// One by one: in a function that is not inlined, else the compiler also vectorises scalar code.
enum class Code { one_by_one, scalar, vectorised };

/// A session of the mode.
class Session {
 public:
  explicit Session(const char* cpu = "host", Code form = Code::vectorised) : code(form) {
    setenv("OP2_REPRODUCIBLE", "on", 1);
    setenv("OP2_JIT_CPU", cpu, 1);
    setenv("OP2_SIMD", "on", 1);
    if (form != Code::vectorised) setenv("OP2_DEBUG", "no_simd", 1);
    op_init(0, nullptr, 0);
    cells = op_decl_set(elements, "cells");
  }
  ~Session() {
    op_exit();
    for (const char* name : {"OP2_REPRODUCIBLE", "OP2_JIT_CPU", "OP2_SIMD", "OP2_DEBUG"})
      unsetenv(name);
  }

  op_set cells;
  const Code code;
};

/// What a kernel `void work(const T* x, T* y)` makes of pairs x; y has `dim` components.
template <class T>
std::vector<T> run(const Session& session, const std::string& statements, const std::vector<T>& x,
                   int dim) {
  const bool is_apart = session.code == Code::one_by_one;
  const std::string parameters =
      std::string("(const ") + type_name<T> + "* x, " + type_name<T> + "* y)";
  const std::string text =
      "#include <cmath>\nextern \"C\" double exp10(double);\nextern \"C\" float exp10f(float);\n" +
      std::string(is_apart ? "__attribute__((noinline)) " : "") + "static void all" + parameters +
      " {\n" + statements + "}\nvoid work" + parameters + " { all(x, y); }\n";
  const op_kernel kernel = op_decl_kernel("work", text.c_str());
  const op_dat arguments = op_decl_dat(session.cells, 2, x, "x");
  const op_dat found = op_decl_dat(session.cells, dim, type_name<T>, static_cast<T*>(nullptr), "y");
  op_par_loop(kernel, "work", session.cells, op_arg_dat(arguments, OP_READ),
              op_arg_dat(found, OP_WRITE));
  std::vector<T> y(static_cast<std::size_t>(elements * dim));
  op_fetch_data(found, y);
  return y;
}

/// "y[0] = std::acos(x[0]);" and so on.
template <class T>
std::string calls_of(int first, int last) {
  std::string text;
  for (int k = first; k < last; ++k) {
    std::string call = functions[k].call;
    if (const std::size_t suffix = call.find('@'); suffix != call.npos)
      call.replace(suffix, 1, sizeof(T) == 8 ? "" : "f");
    text += "y[" + std::to_string(k - first) + "] = " + call + ";\n";
  }
  return text;
}

/// Results of all functions, one after the other, in some loops.
template <class T>
std::vector<std::vector<T>> all_results(const Session& session, const std::vector<T>& x) {
  std::vector<std::vector<T>> all;
  for (int first = 0; first < count; first += per_loop) {
    const int last = std::min(first + per_loop, count), dim = last - first;
    const std::vector<T> y = run(session, calls_of<T>(first, last), x, dim);
    for (int k = 0; k < dim; ++k) {
      std::vector<T>& one = all.emplace_back();
      for (int e = 0; e < elements; ++e) one.push_back(y[static_cast<std::size_t>(e * dim + k)]);
    }
  }
  return all;
}

/// Pairs: special values, numbers of all magnitudes, and ordinary ones.
template <class T>
std::vector<T> all_kinds() {
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       2,
                       T(0.5),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::max(),
                       -Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::min() / 3,
                       1 + Limits::epsilon(),
                       1 - Limits::epsilon(),
                       T(709.5),
                       T(88.6),
                       T(-745),
                       T(-103),
                       T(171.5),
                       T(-170.5)};
  constexpr int n = static_cast<int>(std::size(special));
  std::mt19937_64 random(1);
  std::vector<T> x;
  for (int k = 0; k < n * n; ++k) x.insert(x.end(), {special[k / n], special[k % n]});
  while (x.size() < 2 * elements) {
    const auto bits = random();
    T any;
    std::memcpy(&any, &bits, sizeof any);
    x.push_back(x.size() % 4 < 2 ? any : std::uniform_real_distribution<T>(-40, 40)(random));
  }
  return x;
}

template <class T>
bool are_same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

template <class T>
void expect_same_bits() {
  const std::vector<T> x = all_kinds<T>();
  std::vector<std::vector<T>> first;
  for (const char* level : levels())
    for (const Code code : {Code::one_by_one, Code::scalar, Code::vectorised}) {
      const auto found = all_results(Session(level, code), x);
      if (first.empty()) first = found;
      for (std::size_t f = 0; f < found.size(); ++f)
        for (std::size_t e = 0; e < found[f].size(); ++e)
          ASSERT_TRUE(are_same(found[f][e], first[f][e]))
              << functions[f].call << " of " << type_name<T> << " " << x[2 * e] << " "
              << x[2 * e + 1] << " at " << level << ": " << found[f][e] << ", not " << first[f][e];
    }
}

TEST(ReproducibleMath, HasTheSameBitsAtAllLevelsInVectorsAndOneByOne) {
  expect_same_bits<double>();
}

TEST(ReproducibleMath, HasTheSameBitsInFloat) {
  expect_same_bits<float>();
}

/// The distance of neighbours of a finite number.
template <class T>
Long unit_of(Long value) {
  const T near = std::fabs(static_cast<T>(value));
  return static_cast<Long>(std::nextafter(near, std::numeric_limits<T>::infinity())) - near;
}

template <class T>
void expect_accurate() {
  std::mt19937_64 random(2);
  const Session session;
  for (int f = 0; f < count; ++f) {
    const Function& function = functions[f];
    std::vector<T> x;
    while (x.size() < 2 * elements) {
      x.push_back(
          static_cast<T>(std::uniform_real_distribution(function.low, function.high)(random)));
      x.push_back(static_cast<T>(std::uniform_real_distribution(0.5, 4.0)(random)));
    }
    const std::vector<T> y = run(session, calls_of<T>(f, f + 1), x, 1);
    for (std::size_t e = 0; e < y.size(); ++e) {
      const Long exact = function.exact(x[2 * e], x[2 * e + 1]);
      if (!std::isfinite(static_cast<T>(exact))) continue;
      ASSERT_LE(std::fabs(y[e] - exact), (function.error + 0.01) * unit_of<T>(exact))
          << function.call << " of " << type_name<T> << " " << x[2 * e] << " " << x[2 * e + 1];
    }
  }
}

TEST(ReproducibleMath, IsAccurate) {
  expect_accurate<double>();
  expect_accurate<float>();
}

/// With OP2_FP_CONTRACT=on.
template <class T>
void expect_rounded_once() {
  setenv("OP2_FP_CONTRACT", "on", 1);
  const std::vector<T> x = all_kinds<T>();
  for (const char* level : levels())
    for (const Code code : {Code::one_by_one, Code::scalar, Code::vectorised}) {
      const std::string type = type_name<T>;
      const std::string sums =
          "y[0] = x[0] * x[1] + " + type + "(0.1);\ny[1] = x[1] - x[0] * x[0];";
      const std::vector<T> y = run(Session(level, code), sums, x, 2);
      for (std::size_t e = 0; e < elements; ++e) {
        const T a = x[2 * e], b = x[2 * e + 1];
        ASSERT_TRUE(are_same(y[2 * e], std::fma(a, b, T(0.1)))) << a << " " << b << " " << level;
        ASSERT_TRUE(are_same(y[2 * e + 1], std::fma(-a, a, b))) << a << " " << b << " " << level;
      }
    }
  unsetenv("OP2_FP_CONTRACT");
}

TEST(ReproducibleMath, SumsOfProductsAreRoundedOnceAtAllLevelsIfTheyMayBe) {
  expect_rounded_once<double>();
  expect_rounded_once<float>();
}

std::string hexadecimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

/// The compiler would use the C library of the compiling process, so arguments are chosen for which
/// that gives other bits.
TEST(ReproducibleMath, OfKnownArgumentsIsThatOfOthers) {
  const Session session;
  std::mt19937_64 random(3);
  std::vector<double> x;
  while (x.size() < 2 * elements) x.push_back(std::uniform_real_distribution(-5.0, 5.0)(random));
  const std::vector<double> y = run(session, "y[0] = std::exp(x[0]) + 0 * x[1];", x, 1);
  int tried = 0;
  for (std::size_t e = 0; e < y.size() && tried < 3; ++e) {
    if (y[e] == std::exp(x[2 * e])) continue;
    ++tried;
    const auto same = run(session, "y[0] = std::exp(" + hexadecimal(x[2 * e]) + ");", x, 1);
    EXPECT_EQ(same.front(), y[e]) << x[2 * e];
  }
  EXPECT_EQ(tried, 3) << "the C library's function has the same bits: choose another one";
}

TEST(ReproducibleMath, OfAKnownExponentIsThatOfOthers) {
  const Session session;
  std::mt19937_64 random(4);
  for (const double exponent : {2.0, 0.5, -1.0, 3.0, 1.5}) {
    std::vector<double> x;
    while (x.size() < 2 * elements)
      x.insert(x.end(), {std::uniform_real_distribution(0.0, 50.0)(random), exponent});
    const auto known = run(session, "y[0] = std::pow(x[0], " + hexadecimal(exponent) + ");", x, 1);
    EXPECT_EQ(run(session, "y[0] = std::pow(x[0], x[1]);", x, 1), known) << exponent;
  }
}

void expect_refused(ErrorCode code, const std::string& before, const std::string& statement,
                    const char* name) {
  const Session session;
  const std::string text = before + "void work(double* x) { " + statement + " }";
  const op_kernel kernel = op_decl_kernel("work", text.c_str());
  const op_dat x = op_decl_dat(session.cells, 1, std::vector<double>(elements, 2.0), "x");
  op_par_loop(kernel, "a loop", session.cells, op_arg_dat(x, OP_RW));
  EXPECT_THAT(test::error_text(code, [] { op_flush(); }),
              AllOf(HasSubstr("loop 'a loop'"), HasSubstr("reproducible_math_test.cpp"),
                    HasSubstr(std::string("'") + name + "'"), HasSubstr("; ")));
}

TEST(ReproducibleMath, WithoutAVariantIsAnError) {
  expect_refused(ErrorCode::kernel_source, "extern \"C\" void sincos(double, double*, double*);\n",
                 "double s, c; sincos(*x, &s, &c); *x = s + c;", "sincos");
  expect_refused(ErrorCode::kernel_source, "", "*x = __builtin_powi(*x, 3);", "powi");
  expect_refused(ErrorCode::kernel_source, "", "*x = __builtin_expl(*x);", "exp");
  expect_refused(ErrorCode::kernel_source,
                 "typedef double pair __attribute__((ext_vector_type(2)));\n",
                 "pair p = *x; *x = __builtin_elementwise_sin(p)[0];", "sin");
  expect_refused(ErrorCode::unknown_symbol, "extern \"C\" double j0(double);\n", "*x = j0(*x);",
                 "j0");
}

TEST(ReproducibleMath, IsNotComputedByTheCompilerForGlobalConstants) {
  const Session session;
  const op_kernel kernel =
      op_decl_kernel("work",
                     "#include <cmath>\nstatic const double e = std::exp(1.0);\n"
                     "void work(double* x) { *x *= e; }");
  const op_dat x = op_decl_dat(session.cells, 1, std::vector<double>(elements, 2.0), "x");
  op_par_loop(kernel, "a loop", session.cells, op_arg_dat(x, OP_RW));
  EXPECT_THAT(test::error_text(ErrorCode::kernel_source, [] { op_flush(); }),
              AllOf(HasSubstr("loop 'a loop'"), HasSubstr("global variable"),
                    HasSubstr("; compute it in the kernel")));
}

}  // namespace
}  // namespace op2
