// SPDX-License-Identifier: BSD-3-Clause
// Series as XDMF beside HDF5; tests/results reads the values back.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class XdmfSeries : public testing::Test {
 protected:
  XdmfSeries() { begin(); }
  ~XdmfSeries() override { op_exit(); }

  void begin() {
    op_init(0, nullptr, 0);
    points = op_decl_set(3, "points");
    lines = op_decl_set(2, "lines");
    map = op_decl_map(lines, points, 2, {0, 1, 1, 2}, "ends");
    x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0, 2.0, 0.0}, "x");
    mean = op_decl_dat(lines, 4, "bool", static_cast<bool*>(nullptr), "a<b");
  }
  void write(double time) const {
    const op_dat fields[] = {x, mean};
    op_write_series(path.c_str(), time, map, x, fields);
  }
  /// The lines with a time.
  std::vector<std::string> times() const {
    std::ifstream file(path);
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("<Time")) found.push_back(line);
    return found;
  }

  const TemporaryDirectory folder;
  const std::string path = folder / "a&b.xdmf";
  op_set points = nullptr, lines = nullptr;
  op_map map = nullptr;
  op_dat x = nullptr, mean = nullptr;
};

TEST_F(XdmfSeries, DescribesTheDatasetsOfEachTime) {
  write(0.5);
  EXPECT_EQ(content_of(path), R"(<?xml version="1.0"?>
<Xdmf Version="3.0">
<Domain>
<Grid Name="series" GridType="Collection" CollectionType="Temporal">
<Grid GridType="Uniform">
<Time Value="0.5"/>
<Topology TopologyType="Polyline" NumberOfElements="2" NodesPerElement="2">
<DataItem Format="HDF" NumberType="Int" Precision="4" Dimensions="2 2">a&amp;b_0000.h5:/grid/cells</DataItem>
</Topology>
<Geometry GeometryType="XY">
<DataItem Format="HDF" NumberType="Float" Precision="8" Dimensions="3 2">a&amp;b_0000.h5:/grid/points</DataItem>
</Geometry>
<Attribute Name="a&lt;b" AttributeType="Matrix" Center="Cell">
<DataItem Format="HDF" NumberType="UChar" Precision="1" Dimensions="2 1 4">a&amp;b_0000.h5:/cell_values/a&lt;b</DataItem>
</Attribute>
<Attribute Name="x" AttributeType="Vector" Center="Node">
<DataItem Format="HDF" NumberType="Float" Precision="8" Dimensions="3 2">a&amp;b_0000.h5:/point_values/x</DataItem>
</Attribute>
</Grid>
</Grid>
</Domain>
</Xdmf>
)");
  EXPECT_EQ(folder.file_count(), 2U);
}

TEST_F(XdmfSeries, GoesOnWhereACheckpointWas) {
  for (const double time : {0.0, 1.0, 2.0, 3.0}) write(time);
  op_exit();
  begin();
  write(1.5);
  EXPECT_THAT(times(),
              ElementsAre("<Time Value=\"0\"/>", "<Time Value=\"1\"/>", "<Time Value=\"1.5\"/>"));
  EXPECT_THAT(content_of(path), HasSubstr("a&amp;b_0002.h5:/grid/points"));
}

TEST_F(XdmfSeries, MistakesAreErrors) {
  const op_dat twice[] = {x, x};
  EXPECT_THAT(
      error_text(ErrorCode::bad_name, [&] { op_write_series(path.c_str(), 0, map, x, twice); }),
      HasSubstr("two fields of one name: op_write_series, dat 'x'"));
  const op_map wide = op_decl_map(lines, points, 7, std::vector<int>(14, 0), "seven");
  EXPECT_THAT(
      error_text(ErrorCode::bad_dim, [&] { op_write_series(path.c_str(), 0, wide, x, {}); }),
      HasSubstr("no such cell in a .xdmf: map of the cells, arity 7"));
  const op_dat line = op_decl_dat(points, 1, {0.0, 1.0, 2.0}, "line");
  EXPECT_THAT(
      error_text(ErrorCode::bad_dim, [&] { op_write_series(path.c_str(), 0, map, line, {}); }),
      HasSubstr("coordinates 'line' of a .xdmf, dim 1; use 2 or 3"));
  EXPECT_EQ(folder.file_count(), 0U);
  write(1);
  const std::string whole = content_of(path);
  for (std::size_t length = 0; length + 1 < whole.size(); length += 7) {
    std::ofstream(path) << whole.substr(0, length);
    EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { write(2); }),
                HasSubstr("not a time series that this library has written"));
  }
}

}  // namespace
}  // namespace op2::test
