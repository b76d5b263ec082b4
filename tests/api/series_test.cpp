// SPDX-License-Identifier: BSD-3-Clause
// Time series for ParaView: each time has its file, and a program that goes on from an earlier time
// replaces what follows it.
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>
#include <support/vtu_reader.hpp>

namespace op2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Series : public testing::Test {
 protected:
  Series() { begin(); }
  ~Series() override { op_exit(); }

  void begin() {
    op_init(0, nullptr, 0);
    const op_set points = op_decl_set(3, "points"), lines = op_decl_set(2, "lines");
    map = op_decl_map(lines, points, 2, {0, 1, 1, 2}, "ends");
    x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0, 2.0, 0.0}, "x");
  }
  void write(double time) const { op_write_series(path.c_str(), time, map, x, {&x, 1}); }
  /// The lines between those that every series has.
  std::vector<std::string> times() const {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("<DataSet")) lines.push_back(line);
    return lines;
  }

  const TemporaryDirectory folder;
  const std::string path = folder / "a&b.pvd";
  op_map map = nullptr;
  op_dat x = nullptr;
};

TEST_F(Series, HasAFileForEachTime) {
  write(0);
  write(0.1);
  write(1);
  EXPECT_THAT(times(), ElementsAre("<DataSet timestep=\"0\" file=\"a&amp;b_0000.pvtu\"/>",
                                   "<DataSet timestep=\"0.1\" file=\"a&amp;b_0001.pvtu\"/>",
                                   "<DataSet timestep=\"1\" file=\"a&amp;b_0002.pvtu\"/>"));
  EXPECT_EQ(
      parse_vtu(content_of(folder / "a&b_0001_0.vtu")).arrays.at("Points").as<double>().size(), 9U);
  EXPECT_EQ(folder.file_count(), 7U);
}

TEST_F(Series, GoesOnWhereACheckpointWas) {
  for (const double time : {0.0, 1.0, 2.0, 3.0}) write(time);
  op_exit();
  begin();
  write(1.5);
  EXPECT_THAT(times(), ElementsAre(HasSubstr("\"0\""), HasSubstr("\"1\""),
                                   AllOf(HasSubstr("\"1.5\""), HasSubstr("_0002.pvtu"))));
}

TEST_F(Series, MistakesAreErrors) {
  EXPECT_THAT(
      error_text(ErrorCode::bad_range, [&] { write(std::numeric_limits<double>::quiet_NaN()); }),
      HasSubstr("nan; give the time"));
  for (const char* const text : {"", "other\n"}) {
    std::ofstream(path) << text;
    EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write(1); }),
                HasSubstr("not a time series that this library has written"));
    EXPECT_EQ(content_of(path), text);
  }
  std::filesystem::remove(path);
  EXPECT_THAT(error_text(ErrorCode::io_failure,
                         [&] { op_write_series((folder / "flow.txt").c_str(), 0, map, x, {}); }),
              HasSubstr("flow.txt'; end it in .pvd (VTU), .xdmf or .xmf (HDF5)"));
  EXPECT_FALSE(std::filesystem::exists(folder / "flow.txt"));
  write(1);
  std::string whole = content_of(path);
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    std::ofstream(path) << whole.substr(0, length);
    error_text(ErrorCode::io_failure, [&] { write(2); });
  }
}

}  // namespace
}  // namespace op2::test
