// SPDX-License-Identifier: BSD-3-Clause
// Code for several elements at once gives what code for one after the other gives: random shapes of
// loops, random maps, values that are small whole numbers, so that sums do not depend on order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/jit.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <jit/target/cpu/emit_cpu.hpp>
#include <jit/target/cpu/emit_simd.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using Random = std::mt19937;

constexpr int elements = 53, targets = 20;  // not a multiple of any SIMD width
constexpr Type types[] = {Type::f64, Type::f32, Type::i32, Type::i64,
                          Type::u32, Type::u64, Type::b8};

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

ArgShape random_arg(Random& random, int number) {
  const Type type = types[pick(random, 0, 3) == 0 ? pick(random, 0, 6) : 0];
  const int dim = pick(random, 1, 8), column = pick(random, 0, 2);
  switch (pick(random, 0, 6)) {
    case 0:
      return test::element_number(pick(random, 0, 1) == 0 ? column : -1, 3);
    case 1:
      return test::global(dim, OP_READ, type);
    case 2:
      return test::global(dim, std::array{OP_INC, OP_MIN, OP_MAX}[pick(random, 0, 2)], type);
    case 3:
      return test::dat(number, dim, std::array{OP_INC, OP_MIN, OP_MAX}[pick(random, 0, 2)], column,
                       type, 3);
    case 4:
      return test::dat(number, dim, OP_READ, column, type, 3);
    default:
      return test::dat(number, dim,
                       std::array{OP_READ, OP_WRITE, OP_RW, OP_INC}[pick(random, 0, 3)], -1, type);
  }
}

std::vector<ArgShape> random_args(Random& random) {
  std::vector<ArgShape> args;
  const int count = pick(random, 1, 6);
  for (int k = 0; k < count; ++k) {
    ArgShape arg = random_arg(random, k);
    if (arg.kind == OP_ARG_DAT && core::is_combined(arg.access) && arg.map >= 0 &&
        pick(random, 0, 1) == 0) {
      args.push_back(arg);  // the same dat again, through another column
      arg.column = (arg.column + 1) % 3;
    }
    if (pick(random, 0, 9) == 0) arg = test::off(arg);
    args.push_back(arg);
  }
  if (args.back().kind != OP_ARG_DAT) args.push_back(test::dat(99, 1, OP_RW));
  return args;
}

std::string cxx_type(const ArgShape& arg) {
  return arg.kind == OP_ARG_IDX ? "int" : core::cxx_name_of(arg.type);
}

/// Indexes local arrays, as kernels' helpers do.
constexpr const char* helper =
    "static int turned(int sum, const int* more) {\n"
    "  int part[4], result = 0;\n"
    "  for (int n = 0; n < 4; ++n) part[n] = sum % (n + 3) + more[n % 2];\n"
    "  for (int n = 0; n < 4; ++n) if (part[n] % 2 == 0) result += part[3 - n];\n"
    "  return result;\n"
    "}\n";

/// A kernel that reads all that may be read and writes all that may be written, some of it under a
/// condition, also on what is the same for all elements.
std::string kernel_text(Random& random, const std::vector<ArgShape>& args) {
  std::string parameters, reads, writes;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgShape& arg = args[k];
    const std::string type = cxx_type(arg);
    parameters += fmt::format("{}{}{}* a{}", k > 0 ? ", " : "",
                              arg.access == OP_READ ? "const " : "", type, k);
    if (!arg.active) continue;
    const int dim = arg.kind == OP_ARG_IDX ? 1 : arg.dim;
    const std::string each = fmt::format("for (int n = 0; n < {}; ++n) ", dim);
    const bool known = arg.access == OP_READ || arg.access == OP_RW;
    if (arg.kind == OP_ARG_GBL && arg.access == OP_READ)
      reads += fmt::format(
          "if (static_cast<int>(a{}[0]) % 2 == 0) {{ const int more[2] = {{sum % 4, {}}}; sum += "
          "turned(sum, more); }} else {{ sum += 3; }}\n",
          k, k);
    if (known) reads += fmt::format("{}sum += static_cast<int>(a{}[n]) % 5 * (n + 1);\n", each, k);
    if (arg.access == OP_READ) continue;
    const std::string value = fmt::format("static_cast<{}>((sum + n) % 7)", type);
    if (arg.access == OP_MIN || arg.access == OP_MAX)
      writes += fmt::format("{0}{{ auto v = {1}; if (v {2} a{3}[n]) a{3}[n] = v; }}\n", each, value,
                            arg.access == OP_MIN ? "<" : ">", k);
    else if (arg.access == OP_INC)
      writes += fmt::format("if (sum % 3 != 0) {0}a{1}[n] = static_cast<{3}>(a{1}[n] {4} {2});\n",
                            each, k, value, type, pick(random, 0, 1) == 0 ? '+' : '-');
    else
      writes += fmt::format("if (sum % 2 == 0) {}a{}[n] = {};\n", each, k, value);
  }
  return fmt::format("{}void mix({}) {{\nint sum = 0;\n{}{}}}", helper, parameters, reads, writes);
}

/// Memory of all arguments: bytes of dats and globals by argument, and one map.
struct World {
  std::vector<std::vector<std::byte>>
      memory;            ///< by argument; arguments of one dat share the first
  std::vector<int> map;  ///< shape [elements x 3]

  World(Random& random, const std::vector<ArgShape>& args) {
    for (const ArgShape& arg : args) {
      const int rows = arg.kind == OP_ARG_GBL ? 1 : arg.map >= 0 ? targets : elements;
      memory.emplace_back();
      if (arg.kind == OP_ARG_IDX) continue;
      core::with_type(arg.type, [&]<class T>() {
        for (int k = 0; k < rows * arg.dim; ++k) {
          const T value = static_cast<T>(pick(random, 0, 6));
          const auto* bytes = reinterpret_cast<const std::byte*>(&value);
          memory.back().insert(memory.back().end(), bytes, bytes + sizeof value);
        }
      });
    }
    for (int k = 0; k < 3 * elements; ++k) map.push_back(pick(random, 0, targets - 1));
  }

  void run(core::RangeFunction range, const std::vector<ArgShape>& args, int begin, int end) {
    std::vector<core::ArgBinding> bindings;
    std::map<int, std::size_t> first;  // of each dat
    for (std::size_t k = 0; k < args.size(); ++k) {
      const auto [place, fresh] =
          first.try_emplace(args[k].dat >= 0 ? args[k].dat : -1 - int(k), k);
      auto& bytes = memory[place->second];
      const bool indirect = args[k].map >= 0;
      bindings.push_back({args[k].kind == OP_ARG_IDX || !args[k].active ? nullptr : bytes.data(),
                          indirect ? map.data() + args[k].column : nullptr, indirect ? 3 : 0});
    }
    range(begin, end, bindings.data());
  }
};

struct SimdCode : testing::Test {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};

  std::unique_ptr<Jit> make(bool simd, const std::string& cpu = "") {
    JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
    options.cache.mode = core::CacheMode::off;
    options.simd = simd ? core::SimdMode::wherever_possible : core::SimdMode::off;
    options.cpu = cpu;
    return std::make_unique<Jit>(std::move(options), log);
  }

  LoopCode code(Jit& jit, const std::string& name, const std::string& text,
                const std::vector<ArgShape>& args) {
    const op_kernel_core kernel{name.c_str(), text.c_str(), "",      1, false,
                                nullptr,      nullptr,      nullptr, -1};
    LoopCode outcome = jit.compile({{test::loop_request(kernel, args, {})}})[0];
    EXPECT_FALSE(outcome.error) << outcome.error->what() << "\n" << text;
    return outcome;
  }

  /// @return how many of the loops were executed several elements at once
  int compare(Jit& simd, Jit& scalar, int seeds) {
    int several = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      Random random(static_cast<unsigned>(seed));
      const auto args = random_args(random);
      const std::string text = kernel_text(random, args);
      World world(random, args), expected = world;
      const int begin = pick(random, 0, 10), end = pick(random, begin, elements);
      const LoopCode fast = code(simd, "mix", text, args), plain = code(scalar, "mix", text, args);
      if (fast.error || plain.error) return several;
      EXPECT_EQ(plain.code->simd.reason, ScalarReason::disabled);
      several += fast.code->simd.vectorised() ? 1 : 0;
      world.run(range_of(*fast.code), args, begin, end);
      expected.run(range_of(*plain.code), args, begin, end);
      EXPECT_EQ(world.memory, expected.memory)
          << "seed " << seed << ", " << description_of(fast.code->simd) << "\n"
          << text;
    }
    return several;
  }
};

TEST_F(SimdCode, GivesWhatOneElementAfterTheOtherGives) {
  const auto simd = make(true), scalar = make(false);
  const int several = compare(*simd, *scalar, 60);
  std::printf("checked 60 random loops, %d of them several elements at once\n", several);
  EXPECT_GT(several, 30);
}

/// With AVX-512 Intel's CPUs use half of it, others all. On AArch64, where SVE's length is that of
/// the process, a CPU without SVE.
TEST_F(SimdCode, GivesTheSameOnCpusWithOtherVectors) {
  const auto scalar = make(false);
  int compared = 0;
  for (const auto& [cpu, width] : {std::pair("x86-64", 2),
                                   {"x86-64-v3", 4},
                                   {"x86-64-v4", 8},
                                   {"skylake-avx512", 4},
                                   {"znver4", 8},
                                   {"cortex-a53", 4}}) {
    const auto simd = make(true, cpu);
    try {
      simd->target();
    } catch (const Error& lacking) {
      std::printf("not compared: %s\n", lacking.what());
      continue;
    }
    const auto text = "void twice(double* a) { *a *= 2; }";
    EXPECT_EQ(code(*simd, "twice", text, {test::dat(0, 1, OP_RW)}).code->simd.width, width);
    EXPECT_GT(compare(*simd, *scalar, 20), 5);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "this machine has none of these CPUs";
}

TEST_F(SimdCode, NamesTheFunctionThatStandsInItsWay) {
  const auto jit = make(true);
  const LoopCode outcome = code(
      *jit, "tell", "#include <cstdio>\nvoid tell(const double* a) { std::printf(\"%g\", *a); }",
      {test::dat(0, 1, OP_READ)});
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(outcome.code->simd.reason, ScalarReason::calls);
  EXPECT_EQ(description_of(outcome.code->simd), "scalar: calls printf");
}

TEST_F(SimdCode, NamesUsersFunctionsAsTheyAreWritten) {
  const auto jit = make(true);
  const auto reason = [&](const char* text) {
    const LoopCode outcome = code(*jit, "f", text, {test::dat(0, 1, OP_RW)});
    return outcome.error ? "" : description_of(outcome.code->simd);
  };
  EXPECT_EQ(reason("namespace gas { [[gnu::noinline]] double state(double v) { return v * v; } }\n"
                   "void f(double* a) { *a = gas::state(*a); }"),
            "scalar: calls gas::state");
  EXPECT_EQ(reason("void f(double* a) { if (*a > 1) { *a /= 2; f(a); *a += 1; f(a); } }"),
            "scalar: a kernel is too long to be inlined, or calls itself");
}

/// Kernels that choose a value by conditions, also by a pointer to it, or one that is set only
/// then.
constexpr const char* choices[] = {
    "double t; if (*b > 0) t = 2 * a[0]; *o = *b > 0 ? t : a[1];",
    "double t[2]; if (*b > 0) for (int n = 0; n < 2; ++n) t[n] = a[n] + n; *o = *b > 0 ? t[1] : "
    "*b;",
    "*o = *b > 0 ? std::max(a[0], *b) : std::min(1.0, a[0]);",
    "*o = std::isfinite(*b) ? std::max(a[0], a[1]) : std::min(1.0, a[1]);",
    "*o = *b > 3 ? *b > 4 ? std::max(a[0], *b) : std::min(*b, a[1]) : std::min(a[0], a[1]);",
    "const int n = *b; if (n == 1) *o = a[0]; else if (n == 2) *o = a[1]; else if (n == 3) *o = 2 "
    "* "
    "a[0]; else *o = a[0] * a[1];",
    "switch (static_cast<int>(*b)) { case 0: *o = a[1]; break; case 1: *o = 5; break; case 5: *o = "
    "a[0] * a[1]; break; case 6: *o = a[1] - a[0]; break; default: *o = 3 * a[0]; }"};

TEST_F(SimdCode, ChoosesBetweenPointersAndWaysInEachLane) {
  const auto simd = make(true), scalar = make(false);
  const std::vector<ArgShape> args{test::dat(0, 2, OP_READ), test::dat(1, 1, OP_READ),
                                   test::dat(2, 1, OP_WRITE)};
  for (const std::string body : choices) {
    const std::string text = "void f(const double* a, const double* b, double* o) {" + body + "}";
    Random random(7);
    World world(random, args), expected = world;
    const LoopCode fast = code(*simd, "f", text, args), plain = code(*scalar, "f", text, args);
    ASSERT_FALSE(fast.error || plain.error);
    EXPECT_TRUE(fast.code->simd.vectorised()) << body << description_of(fast.code->simd);
    world.run(range_of(*fast.code), args, 0, elements);
    expected.run(range_of(*plain.code), args, 0, elements);
    EXPECT_EQ(world.memory, expected.memory) << body;
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The benchmark's kernels, as users write them: with helpers, local arrays that loops of constant
/// length index, and branches. The benchmark compares their results with those of the host
/// compiler.
TEST_F(SimdCode, IsMadeOfKernelsWithHelpersLoopsAndLocalArrays) {
  const auto simd = make(true);
  const auto rows = [](int dat, int dim, op_access access, int count) {
    std::vector<ArgShape> args;
    for (int column = 0; column < count; ++column)
      args.push_back(test::dat(dat, dim, access, column, Type::f64, count));
    return args;
  };
  const auto of_face = [&](int geometry, int dim, int gradients) {
    std::vector<ArgShape> args{test::dat(0, geometry, OP_READ)};
    std::ranges::copy(rows(1, dim, OP_READ, 2), std::back_inserter(args));
    if (gradients > 0) std::ranges::copy(rows(2, gradients, OP_READ, 2), std::back_inserter(args));
    std::ranges::copy(rows(3, dim, OP_INC, 2), std::back_inserter(args));
    return args;
  };
  const struct {
    const char *name, *file;
    std::vector<ArgShape> args;
  } kernels[] = {
      {"face_flux", "euler.h", of_face(9, 6, 18)},
      {"face_flux_first", "euler.h", of_face(9, 6, 0)},
      {"face_jump", "elements.h", of_face(9, 12, 0)},
  };
  for (const auto& kernel : kernels) {
    const std::string text = content_of(std::string(OP2_BENCH_KERNELS) + kernel.file);
    ASSERT_FALSE(text.empty());
    const LoopCode outcome = code(*simd, kernel.name, text, kernel.args);
    ASSERT_FALSE(outcome.error);
    EXPECT_TRUE(outcome.code->simd.vectorised()) << description_of(outcome.code->simd);
    EXPECT_GT(outcome.code->flops, 100) << kernel.name;
  }
}

/// Both sides of a branch on a global that is read: what only one value executes is not executed
/// with the other one.
TEST_F(SimdCode, HasVersionsForBranchesOnWhatIsTheSameForAll) {
  const auto simd = make(true), scalar = make(false);
  const std::vector<ArgShape> args{test::dat(0, 2, OP_READ), test::global(2, OP_READ, Type::i32),
                                   test::dat(1, 2, OP_WRITE)};
  const std::string text =
      "#include <cmath>\n"
      "void f(const double* a, const int* choice, double* o) {"
      "  double s = a[0] + 1;"
      "  if (choice[0] == 1) { for (int n = 0; n < 5; ++n) s = std::sqrt(s * a[1] + n) / (s + 2); }"
      "  else { for (int n = 0; n < 5; ++n) s = s / (a[1] + n + 1); }"
      "  if (choice[1] > 0 && a[0] > 2) { for (int n = 0; n < 6; ++n) s += a[1] / (s + n + 1); }"
      "  o[0] = s; o[1] = choice[0]; }";
  const LoopCode fast = code(*simd, "f", text, args), plain = code(*scalar, "f", text, args);
  ASSERT_FALSE(fast.error || plain.error);
  EXPECT_TRUE(fast.code->simd.vectorised()) << description_of(fast.code->simd);
  for (int seed = 1; seed <= 8; ++seed) {
    Random random(static_cast<unsigned>(seed));
    World world(random, args);
    const int choice[2] = {seed % 2, seed / 2 % 2};
    std::memcpy(world.memory[1].data(), choice, sizeof choice);
    World expected = world;
    world.run(range_of(*fast.code), args, 0, elements);
    expected.run(range_of(*plain.code), args, 0, elements);
    EXPECT_EQ(world.memory, expected.memory) << seed;
  }
}

/// A large local array is not set for each element, which would be one store for each of its
/// values.
TEST_F(SimdCode, IsNotTriedAtLengthWithLargeLocalArrays) {
  const auto simd = make(true);
  const LoopCode outcome = code(
      *simd, "f",
      "void f(double* a) { double w[30000]; const int n = int(*a) & 7; for (int k = 0; k <= n; "
      "++k) w[k * 4000] = k; *a = w[n * 4000]; }",
      {test::dat(0, 1, OP_RW)});
  ASSERT_FALSE(outcome.error);
  EXPECT_FALSE(outcome.code->simd.vectorised());
}

TEST_F(SimdCode, TakesTheCompilersReasonAsOneLineThatIsNotCompiled) {
  const auto jit = make(true);
  const LoopCode outcome =
      code(*jit, "f", "void f(double* a) { double t[4] = {1, 2, 3, *a}; *a = t[int(*a) & 3]; }",
           {test::dat(0, 1, OP_RW)});
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(outcome.code->simd.reason, ScalarReason::not_vectorised);
  EXPECT_THAT(outcome.code->simd.detail, testing::Not(testing::HasSubstr("\n")));
}

#if defined(__x86_64__)
TEST_F(SimdCode, IsNotWhatTheCompilerMakesOfLoopsInAKernel) {
  const auto jit = make(true, "x86-64");
  const LoopCode outcome = code(*jit, "f",
                                "void f(double* a) { double s = 0; for (int k = 0; k < 1000; ++k) "
                                "s += a[0] / (k + a[1]); *a = s; }",
                                {test::dat(0, 2, OP_RW)});
  ASSERT_FALSE(outcome.error);
  EXPECT_FALSE(outcome.code->simd.vectorised());
}
#endif

TEST_F(SimdCode, IsNotMadeWhereItWouldOnlyMoveData) {
  JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
  options.cache.mode = core::CacheMode::off;
  Jit jit(std::move(options), log);
  const auto reason = [&](const char* name, const char* text) {
    return code(jit, name, text, {test::dat(0, 4, OP_READ), test::dat(1, 4, OP_WRITE)})
        .code->simd.reason;
  };
  EXPECT_EQ(reason("copy",
                   "void copy(const double* a, double* b) { for (int n = 0; n < 4; ++n) "
                   "b[n] = a[n]; }"),
            ScalarReason::not_vectorised)
      << "it becomes one copy of all rows";
  EXPECT_EQ(reason("roots",
                   "#include <cmath>\nvoid roots(const double* a, double* b) { for (int n "
                   "= 0; n < 4; ++n) b[n] = std::sqrt(a[n] / (1 + a[n] * a[n])); }"),
            ScalarReason::none);
  EXPECT_EQ(reason("powers",
                   "#include <cmath>\nvoid powers(const double* a, double* b) { for (int n "
                   "= 0; n < 4; ++n) b[n] = std::exp(2 * a[n]); }"),
            ScalarReason::not_profitable);
}

TEST_F(SimdCode, CallsMathematicsOfVectorsIfAllowed) {
  const std::vector<ArgShape> args{test::dat(0, 3, OP_READ), test::dat(1, 3, OP_WRITE),
                                   test::dat(2, 1, OP_WRITE, -1, Type::f32)};
  const std::string text =
      "#include <cmath>\nvoid f(const double* a, double* b, float* c) {\n"
      "b[0] = std::exp(a[0]) * std::sin(a[1]);\nb[1] = std::pow(a[2], a[0]);\n"
      "b[2] = std::atan2(a[0], a[1]);\n*c = std::log(static_cast<float>(a[2]));\n}";
  std::vector<double> values(3 * elements), exact(3 * elements), fast(3 * elements);
  std::vector<float> logarithms(elements), fast_logarithms(elements);
  Random random(1);
  for (double& value : values) value = std::uniform_real_distribution(0.1, 3.0)(random);
  for (const bool vector_math : {false, true}) {
    JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
    options.vector_math = vector_math;
    Jit jit(std::move(options), log);
    const LoopCode outcome = code(jit, "f", text, args);
    ASSERT_FALSE(outcome.error);
    if (vector_math && dlopen("libmvec.so.1", RTLD_NOW) == nullptr) GTEST_SKIP() << "no libmvec";
    EXPECT_EQ(outcome.code->simd.vectorised(), vector_math) << description_of(outcome.code->simd);
    const core::ArgBinding bindings[] = {
        {values.data(), nullptr, 0},
        {vector_math ? fast.data() : exact.data(), nullptr, 0},
        {vector_math ? fast_logarithms.data() : logarithms.data(), nullptr, 0}};
    range_of (*outcome.code)(0, elements, bindings);
  }
  for (std::size_t k = 0; k < exact.size(); ++k)
    EXPECT_NEAR(fast[k], exact[k], 8 * 2.3e-16 * std::fabs(exact[k]));
  for (std::size_t k = 0; k < logarithms.size(); ++k)
    EXPECT_NEAR(fast_logarithms[k], logarithms[k], 8 * 1.2e-7f * std::fabs(logarithms[k]));
}

/// Functions with the same bits everywhere have variants for all vectors.
TEST_F(SimdCode, IsMadeOfReproducibleMathematics) {
  const std::vector<ArgShape> args{test::dat(0, 3, OP_READ), test::dat(1, 2, OP_WRITE),
                                   test::dat(2, 1, OP_WRITE, -1, Type::f32)};
  const std::string text =
      "#include <cmath>\nvoid f(const double* a, double* b, float* c) {\n"
      "b[0] = a[0] > 1 ? std::exp(a[0]) * std::sin(a[1]) : std::tgamma(a[1]);\n"
      "b[1] = std::pow(a[2], a[0]);\n*c = std::log(static_cast<float>(a[2]));\n}";
  JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>(); });
  options.reproducible = true;
  options.contract = false;
  Jit jit(std::move(options), log);
  const LoopCode outcome = code(jit, "f", text, args);
  ASSERT_FALSE(outcome.error) << outcome.error->what();
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx")) GTEST_SKIP() << "pairs with branches stay scalar";
#endif
  EXPECT_TRUE(outcome.code->simd.vectorised()) << description_of(outcome.code->simd);
}

TEST_F(SimdCode, AddsInTheOrderOfTheElements) {
  // Sums of very different numbers show the order.
  const std::vector<ArgShape> args{test::dat(0, 1, OP_READ), test::dat(1, 1, OP_INC, 0),
                                   test::dat(1, 1, OP_INC, 1)};
  const std::string text =
      "void f(const double* w, double* a, double* b) { *a += *w; *b += 3 * *w; }";
  std::vector<double> weights, sums(targets), expected(targets);
  std::vector<int> map;
  Random random(1);
  for (int k = 0; k < elements; ++k) {
    weights.push_back(std::ldexp(1.0 + 0.1 * k, pick(random, -60, 60)));
    for (int column = 0; column < 2; ++column) map.push_back(pick(random, 0, 3));
  }
  for (const bool simd : {true, false}) {
    const auto jit = make(simd);
    const LoopCode outcome = code(*jit, "f", text, args);
    ASSERT_FALSE(outcome.error);
    double* to = (simd ? sums : expected).data();
    const core::ArgBinding bindings[] = {
        {weights.data(), nullptr, 0}, {to, map.data(), 2}, {to, map.data() + 1, 2}};
    range_of (*outcome.code)(0, elements, bindings);
  }
  EXPECT_EQ(sums, expected);
}

TEST_F(SimdCode, LeavesTheSignOfZeroWhereItAddsNothing) {
  const auto jit = make(true);
  const LoopCode outcome =
      code(*jit, "f", "void f(const double* w, double* a) { if (*w > 0) a[0] -= *w; }",
           {test::dat(0, 1, OP_READ), test::dat(1, 2, OP_INC, 0)});
  ASSERT_FALSE(outcome.error);
  ASSERT_TRUE(outcome.code->simd.vectorised());
  std::vector<double> weights(elements), sums(2 * targets, -0.0);
  weights[3] = 1;
  std::vector<int> map;  // shape [elements x 2]
  for (int k = 0; k < 2 * elements; ++k) map.push_back(k / 2 % targets);
  const core::ArgBinding bindings[] = {{weights.data(), nullptr, 0}, {sums.data(), map.data(), 2}};
  range_of (*outcome.code)(0, elements, bindings);
  for (int k = 0; k < 2 * targets; ++k) EXPECT_TRUE(std::signbit(sums[k])) << k;
  EXPECT_EQ(sums[6], -1);
}

/// Shuffles in the optimised code of several elements at once.
int shuffles_in(const std::string& body, const std::vector<ArgShape>& args) {
  const std::string text = "void f(const double* w, double* a, double* b) {" + body + "}";
  const op_kernel_core kernel{"f", text.c_str(), "", 1, false, nullptr, nullptr, nullptr, -1};
  CompileRequest request;
  CompileUnit& unit = request.units.emplace_back();
  unit.kernel = "f";
  unit.parameters.assign(args.begin(), args.end());
  unit.source = emit_cpu(nest_of(call_of(kernel, {}), args), {.width = 4})[0];
  request.symbol = range_symbol;
  request.blocks = blocks_function;
  request.must_gain = false;
  const CompileResult result = load_plugin(test::plugin_folder(), "").backend->compile(request);
  EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
  EXPECT_EQ(result.scalar.reason, ScalarReason::none);
  const std::size_t begin = result.ir.find(blocks_function), end = result.ir.find("\n}", begin);
  int count = 0;
  for (auto at = begin; (at = result.ir.find("shufflevector", at + 1)) < end;) ++count;
  return count;
}

TEST_F(SimdCode, TransposesOnceWhatIsAddedHereAndSubtractedThere) {
  const std::vector<ArgShape> args{test::dat(0, 4, OP_READ), test::dat(1, 4, OP_INC, 0),
                                   test::dat(1, 4, OP_INC, 1)};
  const auto both = [&](const char* first, const char* second) {
    return shuffles_in(fmt::format("for (int n = 0; n < 4; ++n) {{ const double f = w[n] * w[3 - "
                                   "n]; a[n] += {}; b[n] {}; }}",
                                   first, second),
                       args);
  };
  const int shared = both("f", "-= f");
  EXPECT_GT(shared, 0);
  EXPECT_EQ(shared, both("f", "+= f"));
  EXPECT_LT(shared, both("f", "-= f * w[0]"));
}

}  // namespace
}  // namespace op2::jit
