// SPDX-License-Identifier: BSD-3-Clause
// Without contraction, compiled kernels of + - * / and sqrt give the bits that their formulas give
// if each operation is rounded: random formulas, scalar, vectorised, fused, in parts of the range.
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/jit.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using Random = std::mt19937;
using test::dat;

constexpr int elements = 43, targets = 11;  // not a multiple of any SIMD width

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

/// A formula over named values. This file is compiled without contraction.
class Formula {
 public:
  Formula(Random& random, std::span<const char* const> names, int depth) {
    operation_ = depth == 0 ? 'v' : "+-*/+-*q"[pick(random, 0, 7)];
    value_ = pick(random, 0, static_cast<int>(names.size()) - 1);
    if (operation_ == 'v') {
      text_ = names[static_cast<std::size_t>(value_)];
      return;
    }
    left_ = std::make_unique<Formula>(random, names, depth - 1);
    right_ = std::make_unique<Formula>(random, names, pick(random, 0, depth - 1));
    text_ = operation_ == 'q'
                ? fmt::format("sqrt({0} * {0} + {1} * {1})", left_->text_, right_->text_)
                : fmt::format("({} {} {})", left_->text_, operation_, right_->text_);
  }

  const std::string& text() const { return text_; }

  double of(const std::vector<double>& values) const {
    if (operation_ == 'v') return values[static_cast<std::size_t>(value_)];
    const double a = left_->of(values), b = right_->of(values);
    switch (operation_) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      default:
        return std::sqrt(a * a + b * b);
    }
  }

 private:
  char operation_;
  int value_;
  std::string text_;
  std::unique_ptr<Formula> left_, right_;
};

struct Data {
  std::vector<double> a, o, d, r;  ///< shapes [elements x 3], [elements x 2], [elements], [targets]
  std::vector<int> map;

  explicit Data(Random& random) : o(2 * elements), d(elements, 0.1), r(targets, 0.3) {
    for (int k = 0; k < 3 * elements; ++k)
      a.push_back(std::uniform_real_distribution(0.5, 2.0)(random));
    for (int k = 0; k < elements; ++k) map.push_back(pick(random, 0, targets - 1));
  }
};

/// Two kernels: `first` of a writes o and adds to d and to r through a map, `second` changes d.
struct Kernels {
  static constexpr const char* inputs[] = {"a[0]", "a[1]", "a[2]", "0.7", "3.0"};
  static constexpr const char* others[] = {"o[0]", "o[1]", "d[0]", "1.3"};
  Formula e0, e1, e2, e3, e4;

  explicit Kernels(Random& random)
      : e0(random, inputs, 4),
        e1(random, inputs, 4),
        e2(random, inputs, 3),
        e3(random, inputs, 3),
        e4(random, others, 3) {}

  std::string first() const {
    return fmt::format(
        "void first(const double* a, double* o, double* d, double* r) {{\n  o[0] = {};\n"
        "  o[1] = {};\n  d[0] += {};\n  r[0] += {};\n}}",
        e0.text(), e1.text(), e2.text(), e3.text());
  }
  std::string second() const {
    return fmt::format("void second(const double* o, double* d) {{ d[0] = {}; }}", e4.text());
  }
  void run(Data& data) const {
    for (std::size_t n = 0; n < elements; ++n) {
      const std::vector<double> in{data.a[3 * n], data.a[3 * n + 1], data.a[3 * n + 2], 0.7, 3.0};
      data.o[2 * n] = e0.of(in);
      data.o[2 * n + 1] = e1.of(in);
      data.d[n] += e2.of(in);
      data.r[static_cast<std::size_t>(data.map[n])] += e3.of(in);
      data.d[n] = e4.of({data.o[2 * n], data.o[2 * n + 1], data.d[n], 1.3});
    }
  }
};

/// Bits, but for those of numbers that are not numbers.
std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values)
    bits.push_back(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value));
  return bits;
}

class Contraction : public testing::Test {
 protected:
  std::unique_ptr<Jit> jit(core::SimdMode simd, bool contract = false) {
    JitOptions options = test::jit_options(folder_.path(), [] { return std::vector<Constant>(); });
    options.cache.mode = core::CacheMode::off;
    options.simd = simd;
    options.contract = contract;
    return std::make_unique<Jit>(std::move(options), log_);
  }

  LoopRequest request(const char* name, const std::string& source, std::vector<ArgShape> args) {
    sources_.push_back(source);
    kernels_.push_back(
        {name, sources_.back().c_str(), "", 1, false, nullptr, nullptr, nullptr, -1});
    return test::loop_request(kernels_.back(), std::move(args), {});
  }

  /// Loops of the two kernels, or of both as one.
  std::vector<LoopRequest> requests(const Kernels& kernels, bool fused) {
    const std::vector<ArgShape> args{dat(0, 3, OP_READ), dat(1, 2, OP_WRITE), dat(2, 1, OP_RW),
                                     dat(3, 1, OP_INC, 0, Type::f64, 1)};
    LoopRequest first = request("first", kernels.first(), args);
    LoopRequest second =
        request("second", kernels.second(), {dat(1, 2, OP_READ), dat(2, 1, OP_RW)});
    if (!fused) return {first, second};
    first.nest.calls.push_back(second.nest.calls[0]);
    first.nest.calls[1].args = {{1, OP_READ}, {2, OP_RW}};
    first.origins.push_back(second.origins[0]);
    return {first};
  }

  /// In two parts of the range.
  static void run(const LoopCode& outcome, std::size_t loop, Data& data) {
    const core::ArgBinding all[] = {{data.a.data(), nullptr, 0},
                                    {data.o.data(), nullptr, 0},
                                    {data.d.data(), nullptr, 0},
                                    {data.r.data(), data.map.data(), 1}};
    const core::ArgBinding* bindings = all + loop;
    range_of (*outcome.code)(0, elements / 3, bindings);
    range_of (*outcome.code)(elements / 3, elements, bindings);
  }

  void compare(unsigned seed, Jit& jit, bool fused) {
    Random random(seed);
    const Kernels kernels(random);
    Data data(random), expected = data;
    kernels.run(expected);
    const auto outcomes = jit.compile(requests(kernels, fused));
    for (std::size_t n = 0; n < outcomes.size(); ++n) {
      ASSERT_FALSE(outcomes[n].error) << outcomes[n].error->what();
      run(outcomes[n], n, data);
      vectorised_ += outcomes[n].code->simd.vectorised() ? 1 : 0;
    }
    EXPECT_EQ(bits_of(data.o), bits_of(expected.o)) << kernels.first();
    EXPECT_EQ(bits_of(data.d), bits_of(expected.d)) << kernels.first() << kernels.second();
    EXPECT_EQ(bits_of(data.r), bits_of(expected.r)) << kernels.first();
  }

  test::TemporaryDirectory folder_;
  core::Log log_{core::LogLevel::off};
  std::deque<std::string> sources_;
  std::deque<op_kernel_core> kernels_;
  int vectorised_ = 0;
};

TEST_F(Contraction, IsNotInScalarCodeIfItIsOff) {
  const auto scalar = jit(core::SimdMode::off);
  for (unsigned seed = 1; seed <= 20; ++seed) compare(seed, *scalar, seed % 2 == 0);
}

TEST_F(Contraction, IsNotInVectorisedCodeIfItIsOff) {
  const auto vectors = jit(core::SimdMode::wherever_possible);
  for (unsigned seed = 1; seed <= 20; ++seed) compare(seed, *vectors, seed % 2 == 0);
  EXPECT_GT(vectorised_, 20);
}

TEST_F(Contraction, IsPartOfTheKey) {
  const auto with = jit(core::SimdMode::off, true), without = jit(core::SimdMode::off, false);
  EXPECT_NE(with->target(), without->target());
}

}  // namespace
}  // namespace op2::jit
