// SPDX-License-Identifier: BSD-3-Clause
// Kernels with mistakes of every simple sort: each compiles, or is refused with a place in its
// text.
#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jit/common_headers.hpp>
#include <jit/jit.hpp>
#include <jit/source_scan.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>
#include <unit/jit/cache_support.hpp>

namespace op2::jit {
namespace {

using op2::test::dat;
using op2::test::global;
using testing::AnyOf;
using testing::ContainsRegex;

struct Mutants : testing::Test {
  op2::test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  double gam = 1.4, eps = 0.05;
  std::vector<Constant> declared{{"gam", Type::f64, 1, &gam}, {"eps", Type::f64, 1, &eps}};
  std::unique_ptr<Jit> jit = make();

  std::unique_ptr<Jit> make() {
    const auto constants = [this] { return declared; };
    return std::make_unique<Jit>(op2::test::jit_options(folder.path(), constants), log);
  }
  LoopCode get(const std::string& text, std::vector<ArgShape> args) {
    const op_kernel_core kernel{"work",  text.c_str(), "none.cpp", 1, false,
                                nullptr, nullptr,      nullptr,    -1};
    return jit->compile({{op2::test::loop_request(kernel, std::move(args), declared)}})[0];
  }
  void expect_code_or_place(const std::string& text, const std::vector<ArgShape>& args) {
    SCOPED_TRACE(text);
    const LoopCode outcome = get(text, args);
    if (!outcome.error) return;
    EXPECT_THAT(outcome.error->code(), AnyOf(ErrorCode::kernel_source, ErrorCode::kernel_signature,
                                             ErrorCode::unknown_symbol));
    EXPECT_THAT(outcome.error->what(), ContainsRegex("kernel 'work' line [0-9]+|does not define"));
  }
};

/// Offsets of a text at which a token begins, and its end: words, numbers and single characters.
std::vector<std::size_t> token_borders(std::string_view text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<std::size_t> borders{0};
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (!in_word(text[i]) || !in_word(text[i - 1])) borders.push_back(i);
  }
  borders.push_back(text.size());
  return borders;
}

struct Sample {
  const char* text;
  std::vector<ArgShape> args;
};

const Sample samples[] = {
    {"void work(const double* q, double* qold) {\n  for (int n = 0; n < 4; ++n) qold[n] = "
     "q[n];\n}\n",
     {dat(0, 4, OP_READ), dat(1, 4, OP_WRITE)}},
    {"inline double speed(const double* q) {\n  return sqrt(gam * q[3] / q[0]);\n}\n"
     "void work(const double* q, double* res, double* rms) {\n"
     "  const double f[2] = {0.5 * speed(q), eps};\n"
     "  if (f[0] > f[1]) {\n    res[0] += f[0] - f[1];\n  }\n  *rms += res[0] * res[0];\n}\n",
     {dat(0, 4, OP_READ, 0), dat(1, 1, OP_RW), global(1, OP_INC)}},
};

TEST_F(Mutants, AMissingOrDoubledTokenIsCompiledOrShown) {
  for (const auto& [sample, args] : samples) {
    ASSERT_FALSE(get(sample, args).error) << get(sample, args).error->what();
    const std::string text = sample;
    const auto borders = token_borders(text);
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      const std::string token = text.substr(borders[i], borders[i + 1] - borders[i]);
      if (token == " " || token == "\n") continue;
      const std::string head = text.substr(0, borders[i]), tail = text.substr(borders[i + 1]);
      expect_code_or_place(head + tail, args);
      expect_code_or_place(head + token + " " + token + tail, args);
    }
  }
  EXPECT_GT(jit->statistics().compiled, 2);
  EXPECT_EQ(test::count_files(folder.path(), CacheFileKind::entry), jit->statistics().compiled);
}

TEST_F(Mutants, OnlyTheOneFittingParameterIsAccepted) {
  constexpr std::array types{Type::f64, Type::f32, Type::i32, Type::u32, Type::b8};
  constexpr std::array names{"double", "float", "int", "unsigned", "bool"};
  for (std::size_t type = 0; type < types.size(); ++type) {
    for (std::size_t written = 0; written < names.size(); ++written) {
      for (const op_access access : {OP_READ, OP_WRITE}) {
        for (const char* prefix : {"", "const "}) {
          const auto text =
              fmt::format("void work({}{}* a) {{ (void)*a; }}", prefix, names[written]);
          const LoopCode outcome = get(text, {dat(0, 1, access, -1, types[type])});
          const bool fits = type == written && (access == OP_READ) == (*prefix == 'c');
          EXPECT_EQ(outcome.code != nullptr, fits) << text;
          if (fits) continue;
          EXPECT_EQ(outcome.error->code(), ErrorCode::kernel_signature) << text;
        }
      }
    }
  }
}

TEST_F(Mutants, AllOfferedHeadersCanBeIncludedTogether) {
  std::string text;
  for (const char* header : offered_headers) text += fmt::format("#include <{}>\n", header);
  EXPECT_FALSE(get(text + "void work(double* a) { *a = DBL_MAX; }", {dat(0, 1, OP_WRITE)}).error);
}

}  // namespace
}  // namespace op2::jit
