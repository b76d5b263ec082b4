// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include <jit/source_scan.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

auto identifiers(std::string_view text) {
  return scan_source(text).identifiers;
}

TEST(SourceScan, FindsIdentifiersAndNothingInsideComments) {
  EXPECT_THAT(identifiers("a + /* b * c */ d // e \\\n still a comment\n f"),
              UnorderedElementsAre("a", "d", "f"));
}

TEST(SourceScan, FindsNothingInsideLiterals) {
  EXPECT_THAT(identifiers(R"(x = "y \" z" + 'w' + '\'' + v)"), UnorderedElementsAre("x", "v"));
}

TEST(SourceScan, FindsNothingInsideRawLiterals) {
  EXPECT_THAT(identifiers("a R\"--(b )\" c)--\" d u8R\"(e)\" f"),
              UnorderedElementsAre("a", "d", "f"));
}

TEST(SourceScan, LettersOfNumbersAreNotIdentifiers) {
  EXPECT_THAT(identifiers("1e+5f 0x1Fp-3 1'000ull .5e3 7.f q2"), UnorderedElementsAre("q2"));
}

TEST(SourceScan, UnfinishedTokensEndWithTheSource) {
  EXPECT_THAT(identifiers("a /* b"), UnorderedElementsAre("a"));
  EXPECT_THAT(identifiers("a \"b"), UnorderedElementsAre("a"));
  EXPECT_THAT(identifiers("a R\"x(b"), UnorderedElementsAre("a"));
  EXPECT_THAT(identifiers("a '\\"), UnorderedElementsAre("a"));
}

TEST(SourceScan, FindsQuotedIncludesOnly) {
  const auto scan =
      scan_source("#include <cmath>\n# include \"a.h\"\n// #include \"b.h\"\n#define N \"c.h\"\n");
  EXPECT_THAT(scan.includes, ElementsAre("a.h"));
}

TEST(SourceScan, DirectivesMayHoldComments) {
  const auto scan =
      scan_source("# /* a */ include /* b */ \"a.h\"\n#include \\\n \"b.h\" // \"c.h\"\n");
  EXPECT_THAT(scan.includes, ElementsAre("a.h", "b.h"));
}

TEST(SourceScan, TokensAreAllButComments) {
  EXPECT_THAT(
      scan_source(
          "#include <cmath> // root\n#define N\nvoid k(/* { */) { f('}', R\"({)\", 1e-3); }")
          .tokens,
      ElementsAre("#include <cmath> // root\n", "#define", "N", "void", "k", "(", ")", "{", "f",
                  "(", "'}'", ",", "R\"({)\"", ",", "1e-3", ")", ";", "}"));
}

struct IncludeTest : testing::Test {
  test::TemporaryDirectory folder;
  void write(const char* name, const char* text) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  auto read(const char* text) { return read_includes(text, folder.path()); }
};

TEST_F(IncludeTest, FilesAreFoundThroughOtherFilesAndBesideThem) {
  write("sub/a.h", "#include \"b.h\"\n#include \"top.h\"\n");
  write("sub/b.h", "#include \"a.h\"\n");
  write("top.h", "double top;");
  EXPECT_THAT(read("#include \"sub/a.h\""), ElementsAre(Field(&IncludedFile::name, "sub/a.h"),
                                                        Field(&IncludedFile::name, "sub/b.h"),
                                                        IncludedFile{"top.h", "double top;"}));
}

TEST_F(IncludeTest, FilesThatAreMissingAreLeftOut) {
  std::filesystem::create_directory(folder.path() / "folder.h");
  EXPECT_THAT(read("#include \"missing.h\"\n#include \"folder.h\"\n"), IsEmpty());
}

TEST_F(IncludeTest, AFileOfMoreThan16MibIsAnErrorWithItsSize) {
  write("large.h", "");
  std::filesystem::resize_file(folder / "large.h", most_bytes_of_include + 1);
  EXPECT_THAT(test::error_text(ErrorCode::kernel_include, [&] { read("#include \"large.h\""); }),
              testing::AllOf(HasSubstr("too large: '" + (folder / "large.h") + "', 16777217 bytes"),
                             HasSubstr("at most 16777216 bytes")));
  std::filesystem::resize_file(folder / "large.h", most_bytes_of_include);
  EXPECT_EQ(read("#include \"large.h\"").front().text.size(), most_bytes_of_include);
}

TEST_F(IncludeTest, PipesAndDevicesAreRefused) {
  ASSERT_EQ(mkfifo((folder / "pipe.h").c_str(), 0600), 0);
  EXPECT_THAT(test::error_text(ErrorCode::kernel_include, [&] { read("#include \"pipe.h\""); }),
              HasSubstr("'" + (folder / "pipe.h") + "' is a FIFO"));
  EXPECT_THAT(test::error_text(ErrorCode::kernel_include, [&] { read("#include \"/dev/zero\""); }),
              HasSubstr("'/dev/zero' is a device"));
}

TEST_F(IncludeTest, FilesThatTogetherTakeMoreThanTheLimitAreAnError) {
  write("a.h", "double a;\n#include \"b.h\"\n");
  write("b.h", "double b;\n");
  const CompileLimit little{.memory_bytes = 30};
  EXPECT_THAT(
      test::error_text(ErrorCode::kernel_limits,
                       [&] { read_includes("#include \"a.h\"", folder.path(), little); }),
      testing::AllOf(HasSubstr("b.h', 10 bytes, was the last of 2"), HasSubstr("OP2_JIT_LIMIT")));
  EXPECT_EQ(read("#include \"a.h\"").size(), 2U);
}

TEST_F(IncludeTest, IdentifiersOfIncludedFilesCount) {
  write("a.h", "inline double f() { return gam; }");
  EXPECT_THAT(identifiers_in("x", read("#include \"a.h\"")), testing::IsSupersetOf({"x", "gam"}));
}

}  // namespace
}  // namespace op2::jit
