// SPDX-License-Identifier: BSD-3-Clause
// What the plug-in links, and what it refuses to.
#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <unit/jit/backend_support.hpp>

namespace op2::jit::test {
namespace {

using testing::HasSubstr;

/// Why the object of a text is not linked.
std::string refusal(const std::string& prologue, const std::string& body) {
  auto request = work(body);
  request.units[0].source = prologue + request.units[0].source;
  const auto backend = load();
  const auto compiled = backend->compile(request);
  EXPECT_EQ(compiled.status, CompileStatus::ok) << compiled.diagnostics[0].text;
  return backend->link(compiled.object, request.symbol, {}).message;
}

TEST(Link, RefusesSymbolsThatAreNotOnTheList) {
  EXPECT_THAT(refusal("extern char** environ;\n", "*y = environ[0][0];"), HasSubstr("'environ'"));
  EXPECT_THAT(refusal("namespace a { extern int b; }\n", "*y = a::b;"), HasSubstr("'a::b'"));
}

TEST(Link, ExplainsSymbolsThatNoSourceNames) {
  EXPECT_THAT(refusal("", "static double first = *x; *y = first;"), HasSubstr("static variable"));
  EXPECT_THAT(refusal("", "__int128 n = *x; *y = 3000 / n;"), HasSubstr("128 bits"));
  EXPECT_THAT(refusal("thread_local double t;\n", "*y = t += *x;"), HasSubstr("thread_local"));
}

/// `long double` has 128 bits on AArch64, and as many as the processor knows on x86-64.
TEST(Link, TakesArithmeticOf128BitsFromTheCompilersLibrary) {
  for (const std::string type : {"long double", "__float128"}) {
    if (type == "__float128" && LDBL_MANT_DIG == 113) continue;  // Clang has one of the two
    const CompileRequest request =
        work(type + " n = *x; n = n / 3 + 1; if (n > 1) n *= 3; *y = n - (float)1 - (long)*x;");
    const auto backend = load();
    const auto compiled = backend->compile(request);
    ASSERT_EQ(compiled.status, CompileStatus::ok) << compiled.diagnostics[0].text;
    const auto linked = backend->link(compiled.object, request.symbol, {});
    ASSERT_NE(linked.code, nullptr) << linked.message;
    EXPECT_EQ(run(*linked.code, 5), 2) << type;
  }
}

TEST(Link, RefusesSectionsThatGeneratedCodeDoesNotHave) {
  EXPECT_THAT(refusal("static void f() {}\n__attribute__((section(\".init_array\"), used)) static "
                      "void (*start)() = f;\n",
                      "*y = *x;"),
              HasSubstr("'.init_array'"));
  EXPECT_THAT(refusal("__attribute__((section(\"own\"), used)) static int n = 1;\n", "*y = n;"),
              HasSubstr("'own'"));
}

#if defined(__x86_64__)
TEST(Link, RefusesFunctionsThatAreChosenWhenLinked) {
  EXPECT_THAT(refusal("extern \"C\" { double one(double) { return 1; }\n"
                      "double (*choose())(double) { return one; }\n"
                      "__attribute__((ifunc(\"choose\"))) double chosen(double); }\n",
                      "*y = chosen(*x);"),
              HasSubstr("ifunc"));
}
#endif

TEST(Link, NeedsTheSymbolInTheObject) {
  const auto backend = load();
  const auto object = backend->compile(work("*y = *x;")).object;
  EXPECT_THAT(backend->link(object, "other", {}).message, HasSubstr("does not define 'other'"));
}

TEST(Link, RefusesTruncatedAndForeignObjects) {
  const auto backend = load();
  auto object = backend->compile(work("*y = *x;")).object;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, std::size_t{64}, object.size() / 2}) {
    const std::vector<std::byte> part(object.begin(),
                                      object.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(backend->link(part, "op2_range_work", {}).code, nullptr) << size;
  }
  EXPECT_EQ(backend->link(std::vector<std::byte>(1000, std::byte{'x'}), "op2_range_work", {}).code,
            nullptr);
  object[18] = std::byte{0x15};  // e_machine: POWER, with 64 bits
  EXPECT_THAT(backend->link(object, "op2_range_work", {}).message, HasSubstr("another machine"));
}

TEST(Link, FreesCodeInAnyOrder) {
  const auto backend = load();
  const auto object = backend->compile(work("*y = *x + 1;")).object;
  auto first = backend->link(object, "op2_range_work", {});
  auto second = backend->link(object, "op2_range_work", {});
  first.code.reset();
  EXPECT_EQ(run(*second.code, 1), 2);
}

TEST(Link, MapsNothingWritableAndExecutable) {
  const auto backend = load();
  const CompileRequest request = work("*y = *x;");
  const CompileResult compiled = backend->compile(request);
  ASSERT_EQ(compiled.status, CompileStatus::ok) << compiled.message;
  std::vector<LinkResult> linked;
  for (int i = 0; i < 100; ++i) {
    linked.push_back(backend->link(compiled.object, request.symbol, {}));
    ASSERT_TRUE(linked.back().code) << linked.back().message;
  }
  std::ifstream maps("/proc/self/maps");
  const auto first = reinterpret_cast<std::uintptr_t>(linked.front().code->entry());
  std::string flags_of_code;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> flags{};
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, flags.data()), 3) << line;
    if (begin <= first && first < end) flags_of_code = flags.data();
    EXPECT_FALSE(flags[1] == 'w' && flags[2] == 'x') << line;
  }
  EXPECT_EQ(flags_of_code, "r-xp");
}

}  // namespace
}  // namespace op2::jit::test
