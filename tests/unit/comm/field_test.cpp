// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/field.hpp>

#include <cstring>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace {

using namespace op2;
using namespace op2::comm;
using namespace op2::test;
using testing::HasSubstr;

std::string text_of(const Field& field) {
  const TemporaryDirectory directory;
  write_text_file(directory / "dat.txt", field);
  return content_of(directory / "dat.txt");
}

TEST(DatFile, TextHasSizeAndDimThenARowPerLine) {
  const double x[] = {1, -0.5, 0, 1e300};
  EXPECT_EQ(text_of({"x", Type::f64, 2, 2, x}),
            "2 2\n"
            " +1.0000000000000000E+00 -5.0000000000000000E-01\n"
            " +0.0000000000000000E+00 +1.0000000000000001E+300\n");
}

TEST(DatFile, TextIsReadBackWithoutLoss) {
  const double x[] = {1.0 / 3, 0.1, std::numeric_limits<double>::denorm_min(), -1e-300};
  std::istringstream text(text_of({"x", Type::f64, 1, 4, x}));
  std::string word;
  text >> word >> word;
  for (const double value : x) {
    text >> word;
    EXPECT_EQ(std::strtod(word.c_str(), nullptr), value);
  }
}

TEST(DatFile, TextOfOtherTypes) {
  const float f[] = {0.1f};
  const std::int32_t i[] = {-7, 3};
  const std::uint64_t u[] = {18446744073709551615u};
  const bool b[] = {true, false};
  EXPECT_EQ(text_of({"f", Type::f32, 1, 1, f}), "1 1\n +1.00000001E-01\n");
  EXPECT_EQ(text_of({"i", Type::i32, 2, 1, i}), "1 2\n -7 3\n");
  EXPECT_EQ(text_of({"u", Type::u64, 1, 1, u}), "1 1\n 18446744073709551615\n");
  EXPECT_EQ(text_of({"b", Type::b8, 1, 2, b}), "2 1\n 1\n 0\n");
}

TEST(DatFile, BinaryHasSizeAndDimThenTheValues) {
  const double x[] = {1, 2, 3, 4, 5, 6};
  const TemporaryDirectory directory;
  write_binary_file(directory / "dat.bin", {"x", Type::f64, 3, 2, x});
  const std::string content = content_of(directory / "dat.bin");
  const int header[] = {2, 3};
  ASSERT_EQ(content.size(), sizeof header + sizeof x);
  EXPECT_EQ(std::memcmp(content.data(), header, sizeof header), 0);
  EXPECT_EQ(std::memcmp(content.data() + sizeof header, x, sizeof x), 0);
}

TEST(DatFile, BinaryRefusesMoreRowsThanItsHeaderCanCount) {
  const TemporaryDirectory directory;
  const Field field{"x", Type::b8, 1, std::int64_t{1} << 31, nullptr};
  EXPECT_THAT(
      error_text(ErrorCode::too_large, [&] { write_binary_file(directory / "dat.bin", field); }),
      HasSubstr("dat 'x', 2147483648, at most"));
  EXPECT_EQ(directory.file_count(), 0u);
}

}  // namespace
