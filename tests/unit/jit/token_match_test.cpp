// SPDX-License-Identifier: BSD-3-Clause
// From the one line that the preprocessor makes of OP_KERNEL back to the lines of the file.
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include <jit/source_location.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

constexpr const char* written = R"(#define HALF(x) (0.5 * (x))

OP_KERNEL(flux, (const double* a), { other(a); });
OP_KERNEL(flux, (const double* a,  // what is read
                 double* b), {
  /* two steps */ b[0] = HALF(a[0] + GAMMA);
  b[0] += gma;  // not declared
  const char* c = "}, {";
});
)";
constexpr const char* expanded =
    "void flux(const double* a, double* b) { b[0] = (0.5 * (a[0] + (1.4 - 1.0))); b[0] += gma; "
    "const char* c = \"}, {\"; }";

struct TokenMatch : testing::Test {
  test::TemporaryDirectory folder;
  std::string file = folder / "flow.cpp";
  op_kernel_core kernel{"flux", expanded, file.c_str(), 4, false, nullptr, nullptr, nullptr, -1};

  void SetUp() override { std::ofstream(file) << written; }
  /// "line:column" of a part of the expanded text.
  std::string place_of(const std::string& part) {
    const auto at = std::string(expanded).find(part);
    const auto found = SourceLocator(kernel).find(1, static_cast<int>(at) + 1);
    return found ? std::to_string(found->line) + ":" + std::to_string(found->column) : "none";
  }
};

TEST_F(TokenMatch, FindsWhatIsWrittenAsItIs) {
  EXPECT_EQ(place_of("double* b"), "5:18");
  EXPECT_EQ(place_of("gma"), "7:11");
  EXPECT_EQ(place_of("ma;"), "7:12");
  EXPECT_EQ(place_of("\"}, {\""), "8:19");
}

TEST_F(TokenMatch, FindsTheUseOfAMacro) {
  EXPECT_EQ(place_of("0.5"), "6:26");
  EXPECT_EQ(place_of("1.4"), "6:38");
}

TEST_F(TokenMatch, ShowsTheLineOfTheFile) {
  const int column = static_cast<int>(std::string(expanded).find("gma")) + 1;
  EXPECT_EQ(SourceLocator(kernel).find(1, column)->text, "  b[0] += gma;  // not declared");
}

TEST_F(TokenMatch, FindsNothingInAFileWithoutTheKernel) {
  std::ofstream(file) << "int main() {}\n";
  EXPECT_EQ(place_of("gma"), "none");
}

TEST_F(TokenMatch, FindsNothingInAKernelThatAMacroMakes) {
  std::ofstream(file) << "OP_KERNEL(flux, BODY);\nDEFINE(flux)\n";
  EXPECT_EQ(place_of("gma"), "none");
}

}  // namespace
}  // namespace op2::jit
