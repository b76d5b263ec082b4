// SPDX-License-Identifier: BSD-3-Clause
// What is proven of random kernels holds when they are executed, statement by statement, on two
// different old rows: after a proven full write nothing of them is left, what only adds adds the
// same to both, and other results are the same with both.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unit/jit/proof_support.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;

/// Modulo 2^64, so that sums and differences are exact.
using Number = std::uint64_t;
constexpr int dim = 2, columns = 4, deepest = 3;

/// What a kernel sees.
struct State {
  std::array<Number, columns> x;
  std::array<Number, dim> y;
  Number local = 0;
  std::array<int, deepest + 1> counter{};  ///< of the loop at each depth
};

enum class Flow { next, leave_loop, next_round, leave };

/// Text for the compiler, and the meaning of it.
template <typename Result>
struct Piece {
  std::string text;
  std::function<Result(State&)> run;
};
using Value = Piece<Number>;
using Index = Piece<int>;
using Statement = Piece<Flow>;

Flow run_all(const std::vector<Statement>& list, State& state) {
  for (const Statement& each : list)
    if (const Flow flow = each.run(state); flow != Flow::next) return flow;
  return Flow::next;
}

std::string text_of(const std::vector<Statement>& list) {
  std::string text;
  for (const Statement& each : list) text += each.text + "\n";
  return text;
}

/// A kernel `void work(const double* x, double* y)`.
class Kernel {
 public:
  explicit Kernel(unsigned seed) : random_(seed), style_(pick(4)), body_(block(0, pick(4) + 1)) {}

  std::string text() const { return "double local = 0;\n" + text_of(body_); }
  State run(State state) const {
    run_all(body_, state);
    return state;
  }

 private:
  /// In 0..n-1.
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  Index index() {
    const int c = pick(dim);
    if (loops_ > 0 && pick(3) > 0) {
      const int k = loops_;
      if (pick(4) == 0)
        return {fmt::format("1 - i{}", k), [k](State& s) { return 1 - s.counter[k]; }};
      return {fmt::format("i{}", k), [k](State& s) { return s.counter[k]; }};
    }
    if (pick(8) == 0) return {"(x[0] > 0)", [](State& s) { return signed_of(s.x[0]) > 0 ? 1 : 0; }};
    return {fmt::format("{}", c), [c](State&) { return c; }};
  }

  static std::int64_t signed_of(Number value) { return static_cast<std::int64_t>(value); }

  Value leaf() {
    switch (pick(style_ == 0 ? 4 : 8)) {
      case 0: {
        const Index at = index();
        return {"y[" + at.text + "]", [at](State& s) { return s.y[at.run(s)]; }};
      }
      case 1:
        return {"local", [](State& s) { return s.local; }};
      case 2: {
        const auto value = static_cast<Number>(pick(3));
        return {fmt::format("{}", value), [value](State&) { return value; }};
      }
      default: {
        const int column = pick(columns);
        return {fmt::format("x[{}]", column), [column](State& s) { return s.x[column]; }};
      }
    }
  }

  Value value(int depth) {
    if (style_ == sets_zeros && pick(12) > 0) return {"0", [](State&) { return Number{0}; }};
    if (depth == 0 || pick(2) == 0) return leaf();
    if (pick(6) == 0) return kept_change();
    const Value a = value(depth - 1), b = value(depth - 1);
    switch (pick(4)) {
      case 0:
        return {fmt::format("({} + {})", a.text, b.text),
                [a, b](State& s) { return a.run(s) + b.run(s); }};
      case 1:
        return {fmt::format("({} - {})", a.text, b.text),
                [a, b](State& s) { return a.run(s) - b.run(s); }};
      case 2:
        return {fmt::format("({} * {})", a.text, b.text),
                [a, b](State& s) { return a.run(s) * b.run(s); }};
      default: {
        const Piece<bool> test = condition();
        return {fmt::format("({} ? {} : {})", test.text, a.text, b.text),
                [=](State& s) { return test.run(s) ? a.run(s) : b.run(s); }};
      }
    }
  }

  /// A change whose value is used.
  Value kept_change() {
    const Index at = index();
    const Value e = leaf();
    const int form = pick(style_ >= 2 ? 1 : 4);
    const char* const forms[] = {"(y[{0}] = {1})", "(y[{0}] += {1})", "(y[{0}] = y[{0}] + {1})",
                                 "keep(y[{0}], {1})"};
    return {fmt::format(fmt::runtime(forms[form]), at.text, e.text), [=](State& s) {
              const Number more = e.run(s);
              Number& target = s.y[at.run(s)];
              return target = form == 0 ? more : target + more;
            }};
  }

  Piece<bool> condition() {
    const Value a = leaf(), b = leaf();
    return {fmt::format("{} < {}", a.text, b.text),
            [a, b](State& s) { return signed_of(a.run(s)) < signed_of(b.run(s)); }};
  }

  /// Of style 0 any, of style 1 mostly additions, of style 2 mostly writes, of
  /// sets_zeros mostly writes of zeros.
  Statement change() {
    const Index at = index();
    const Value e = value(2);
    const int form = pick(style_ == 0 || pick(8) == 0 ? 4 : 2);
    if (style_ >= 2 ? form < 2 : form == 3)
      return {fmt::format("y[{}] = {};", at.text, e.text), [at, e](State& s) {
                s.y[at.run(s)] = e.run(s);
                return Flow::next;
              }};
    const auto add = [at, e](State& s) {
      const Number more = e.run(s);
      s.y[at.run(s)] += more;
      return Flow::next;
    };
    if (form == 0) return {fmt::format("y[{}] += {};", at.text, e.text), add};
    if (form == 1) return {fmt::format("y[{0}] = {1} + y[{0}];", at.text, e.text), add};
    return {fmt::format("y[{0}] = 2 * y[{0}] + {1};", at.text, e.text), [at, e](State& s) {
              const Number more = e.run(s);
              s.y[at.run(s)] = 2 * s.y[at.run(s)] + more;
              return Flow::next;
            }};
  }

  Statement branches(int depth) {
    const Piece<bool> test = condition();
    const auto first = block(depth + 1, pick(2) + 1), second = block(depth + 1, pick(3));
    return {
        fmt::format("if ({}) {{\n{}}} else {{\n{}}}", test.text, text_of(first), text_of(second)),
        [=](State& s) { return run_all(test.run(s) ? first : second, s); }};
  }

  Statement loop(int depth) {
    const int rounds = pick(8) == 0 ? 1 : dim, k = ++loops_;
    const auto body = block(depth + 1, pick(2) + 1);
    --loops_;
    return {
        fmt::format("for (int i{0} = 0; i{0} < {1}; ++i{0}) {{\n{2}}}", k, rounds, text_of(body)),
        [=](State& s) {
          for (int i = 0; i < rounds; ++i) {
            s.counter[k] = i;
            const Flow flow = run_all(body, s);
            if (flow == Flow::leave) return flow;
            if (flow == Flow::leave_loop) break;
          }
          return Flow::next;
        }};
  }

  Statement jump() {
    if (loops_ == 0 || pick(3) == 0) return {"return;", [](State&) { return Flow::leave; }};
    if (pick(2) == 0) return {"break;", [](State&) { return Flow::leave_loop; }};
    return {"continue;", [](State&) { return Flow::next_round; }};
  }

  Statement statement(int depth) {
    const int what = pick(16);
    if (what < 4 && depth < deepest) return loop(depth);
    if (what < 7 && depth < deepest) return branches(depth);
    if (what == 7 && depth > 0) return jump();
    if (what > 8) return change();
    const Value e = value(2);
    return {"local = " + e.text + ";", [e](State& s) {
              s.local = e.run(s);
              return Flow::next;
            }};
  }

  std::vector<Statement> block(int depth, int size) {
    std::vector<Statement> list;
    for (int k = 0; k < size; ++k) list.push_back(statement(depth));
    return list;
  }

  static constexpr int sets_zeros = 3;
  std::mt19937 random_;
  int style_, loops_ = 0;
  std::vector<Statement> body_;
};

/// Columns of x, and two old rows of y that differ in every component.
std::pair<State, State> random_states(std::mt19937& random) {
  State one{}, other{};
  for (int k = 0; k < columns; ++k)
    one.x[k] = other.x[k] = static_cast<Number>(random() % 5) - Number{2};
  for (int c = 0; c < dim; ++c) {
    one.y[c] = static_cast<Number>(random() % 7) - Number{3};
    other.y[c] = one.y[c] + 1 + random() % 5;
  }
  return {one, other};
}

/// Executes a kernel and checks what is proven of it.
void check(const Kernel& kernel, const ArgumentFacts& write, const ArgumentFacts& change,
           std::mt19937& random) {
  for (int k = 0; k < 40; ++k) {
    const auto [one, other] = random_states(random);
    const State first = kernel.run(one), second = kernel.run(other);
    const auto &a = first.y, &b = second.y;
    if (write.writes_all || change.only_adds) {
      ASSERT_EQ(first.local, second.local) << "the old row is used:\n" << kernel.text();
    }
    for (int c = 0; c < dim; ++c) {
      if (write.writes_all) {
        ASSERT_EQ(a[c], b[c]) << "not a full write:\n" << kernel.text();
      }
      if (change.only_adds) {
        ASSERT_EQ(a[c] - one.y[c], b[c] - other.y[c]) << "not an addition:\n" << kernel.text();
      }
      if (write.leaves_zero || change.leaves_zero) {
        ASSERT_EQ(a[c], 0U) << "not zero:\n" << kernel.text();
        ASSERT_EQ(b[c], 0U) << "not zero:\n" << kernel.text();
      }
    }
  }
}

/// What is proven of y if the kernel is called with this access mode, through a map.
ArgumentFacts proven(const Kernel& kernel, op_access access) {
  CompileRequest asked = request("", {dat(0, columns, OP_READ), dat(1, dim, access, 0)});
  asked.only_facts = true;
  asked.units[0].source =
      "double keep(double& v, double e) { return v = v + e; }\nvoid work(const double* x, double* "
      "y) {\n" +
      kernel.text() + "}\n";
  const auto facts = facts_of(asked);
  EXPECT_EQ(facts.size(), 2U) << kernel.text();
  return facts.size() == 2 ? facts[1] : ArgumentFacts{};
}

/// TEST_KERNELS: how many, 300 if it is not set.
unsigned kernels() {
  const char* given = std::getenv("TEST_KERNELS");
  return given == nullptr ? 300 : static_cast<unsigned>(std::atoi(given));
}

TEST(ExecutedProof, HoldsOnTwoOldRows) {
  std::mt19937 random(3);
  unsigned full = 0, additions = 0, zeros = 0;
  for (unsigned seed = 0; seed < kernels() && !testing::Test::HasFailure(); ++seed) {
    const Kernel kernel(seed);
    const ArgumentFacts write = proven(kernel, OP_WRITE), change = proven(kernel, OP_RW);
    check(kernel, write, change, random);
    full += write.writes_all ? 1 : 0;
    additions += change.only_adds ? 1 : 0;
    zeros += change.leaves_zero ? 1 : 0;
  }
  if (testing::Test::HasFailure()) return;
  // Enough is proven for the comparison to mean something.
  EXPECT_GT(full, kernels() / 30);
  EXPECT_GT(additions, kernels() / 30);
  EXPECT_GT(zeros, kernels() / 60);
  fmt::print("{} kernels: {} full writes, {} that only add, {} that leave zeros\n", kernels(), full,
             additions, zeros);
}

}  // namespace
}  // namespace op2::jit::test
