// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/paraview.hpp>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>
#include <support/vtu_reader.hpp>

namespace {

using namespace op2;
using namespace op2::comm;
using namespace op2::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two quadrilaterals side by side on six points.
struct TwoSquares {
  std::vector<double> x{0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
  std::vector<std::int32_t> cells{0, 1, 4, 3, 1, 2, 5, 4};
  std::vector<Field> cell_fields, point_fields;

  VtuGrid grid() const {
    return {{"x", Type::f64, 2, 6, x.data()}, 4, cells, cell_fields, point_fields};
  }
  VtuFile written() const {
    const TemporaryDirectory directory;
    write_vtu(directory / "grid.vtu", grid());
    return parse_vtu(content_of(directory / "grid.vtu"));
  }
};

TEST(VtuWriter, PadsPlanePointsWithZero) {
  const VtuArray points = TwoSquares().written().arrays.at("Points");
  EXPECT_EQ(points.type, "Float64");
  EXPECT_EQ(points.components, 3);
  EXPECT_THAT(points.as<double>(),
              ElementsAre(0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0));
}

TEST(VtuWriter, KeepsPointsInSpaceAsTheyAre) {
  const std::vector<float> x{0, 1, 2, 3, 4, 5};
  const std::vector<std::int32_t> line{0, 1};
  const TemporaryDirectory directory;
  write_vtu(directory / "line.vtu", {{"x", Type::f32, 3, 2, x.data()}, 2, line, {}, {}});
  const VtuFile file = parse_vtu(content_of(directory / "line.vtu"));
  EXPECT_EQ(file.arrays.at("Points").type, "Float32");
  EXPECT_EQ(file.arrays.at("Points").as<float>(), x);
  EXPECT_THAT(file.arrays.at("types").as<std::uint8_t>(), ElementsAre(3));
}

TEST(VtuWriter, DescribesEachCellByNodesEndAndType) {
  const VtuFile file = TwoSquares().written();
  EXPECT_THAT(file.arrays.at("connectivity").as<std::int32_t>(),
              ElementsAre(0, 1, 4, 3, 1, 2, 5, 4));
  EXPECT_THAT(file.arrays.at("offsets").as<std::int64_t>(), ElementsAre(4, 8));
  EXPECT_THAT(file.arrays.at("types").as<std::uint8_t>(), ElementsAre(9, 9));
  EXPECT_THAT(file.header, HasSubstr("NumberOfPoints=\"6\" NumberOfCells=\"2\""));
}

TEST(VtuWriter, EndsAfterTheLastArray) {
  EXPECT_EQ(TwoSquares().written().footer, "\n</AppendedData>\n</VTKFile>\n");
}

TEST(VtuWriter, WritesFieldsOfAnyTypeWhereTheyLive) {
  TwoSquares squares;
  const std::vector<double> q{1, 2, 3, 4};
  const bool flags[] = {true, false};
  const std::vector<std::int64_t> ids{10, 11, 12, 13, 14, 1LL << 40};
  squares.cell_fields = {{"q", Type::f64, 2, 2, q.data()}, {"flag", Type::b8, 1, 2, flags}};
  squares.point_fields = {{"id", Type::i64, 1, 6, ids.data()}};
  const VtuFile file = squares.written();
  EXPECT_EQ(file.arrays.at("q").components, 2);
  EXPECT_EQ(file.arrays.at("q").as<double>(), q);
  EXPECT_EQ(file.arrays.at("flag").type, "UInt8");
  EXPECT_THAT(file.arrays.at("flag").as<std::uint8_t>(), ElementsAre(1, 0));
  EXPECT_EQ(file.arrays.at("id").as<std::int64_t>(), ids);
  EXPECT_LT(file.header.find("Name=\"id\""), file.header.find("<CellData>"));
  EXPECT_GT(file.header.find("Name=\"q\""), file.header.find("<CellData>"));
}

TEST(VtuWriter, WritesArraysLongerThanItsBuffer) {
  const int cells = 100001;
  std::vector<double> x(2 * (cells + 1));
  std::vector<std::int32_t> lines;
  for (int i = 0; i < cells; ++i) lines.insert(lines.end(), {i, i + 1});
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const TemporaryDirectory directory;
  write_vtu(directory / "long.vtu", {{"x", Type::f64, 2, cells + 1, x.data()}, 2, lines, {}, {}});
  const VtuFile file = parse_vtu(content_of(directory / "long.vtu"));
  const auto points = file.arrays.at("Points").as<double>();
  const auto offsets = file.arrays.at("offsets").as<std::int64_t>();
  ASSERT_EQ(points.size(), 3u * (cells + 1));
  ASSERT_EQ(offsets.size(), 1u * cells);
  EXPECT_EQ(points[3 * 70000 + 1], 140001);
  EXPECT_EQ(points[3 * 70000 + 2], 0);
  EXPECT_EQ(offsets[70000], 140002);
  EXPECT_EQ(offsets.back(), 2 * cells);
}

TEST(VtuWriter, EscapesNames) {
  TwoSquares squares;
  const double q[] = {1, 2};
  squares.cell_fields = {{"a<b & \"c\"", Type::f64, 1, 2, q}};
  EXPECT_THAT(squares.written().header, HasSubstr("Name=\"a&lt;b &amp; &quot;c&quot;\""));
}

TEST(VtuWriter, RefusesAFieldOfTheWrongLength) {
  TwoSquares squares;
  const double q[] = {1, 2, 3};
  squares.cell_fields = {{"q", Type::f64, 1, 3, q}};
  const TemporaryDirectory directory;
  EXPECT_THAT(
      error_text(ErrorCode::bad_size, [&] { write_vtu(directory / "x.vtu", squares.grid()); }),
      HasSubstr("field 'q' of a .vtu, 3 rows, but the grid has 2 cells"));
  EXPECT_EQ(directory.file_count(), 0u);
}

TEST(VtuWriter, FourNodesInSpaceAreATetrahedron) {
  const std::vector<double> x{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<std::int32_t> cell{0, 1, 2, 3};
  const TemporaryDirectory directory;
  write_vtu(directory / "tet.vtu", {{"x", Type::f64, 3, 4, x.data()}, 4, cell, {}, {}});
  const VtuFile file = parse_vtu(content_of(directory / "tet.vtu"));
  EXPECT_THAT(file.arrays.at("types").as<std::uint8_t>(), ElementsAre(10));
}

TEST(VtuWriter, RefusesAnArityThatIsNoCell) {
  const TwoSquares squares;
  VtuGrid grid = squares.grid();
  grid.cell_arity = 7;
  EXPECT_THAT(error_text(ErrorCode::bad_dim, [&] { write_vtu("x.vtu", grid); }),
              HasSubstr("arity 7"));
}

TEST(VtuWriter, RefusesCoordinatesThatAreNoPlaneOrSpace) {
  const TwoSquares squares;
  VtuGrid grid = squares.grid();
  grid.points.dim = 1;
  EXPECT_THAT(error_text(ErrorCode::bad_dim, [&] { write_vtu("x.vtu", grid); }),
              HasSubstr("'x' of a .vtu, dim 1"));
  grid.points = {"x", Type::i32, 2, 6, nullptr};
  EXPECT_THAT(error_text(ErrorCode::bad_type, [&] { write_vtu("x.vtu", grid); }),
              HasSubstr("'x' of a .vtu, \"int\""));
}

TEST(VtuWriter, APieceFileListsFieldsAndPieces) {
  const std::vector<double> pressure{1, 2};
  TwoSquares mesh;
  mesh.cell_fields.push_back({"p<", Type::f64, 1, 2, pressure.data()});
  const std::string pieces[] = {"a_0.vtu", "a&1.vtu"};
  EXPECT_EQ(pvtu_text(mesh.grid(), pieces),
            R"(<?xml version="1.0"?>
<VTKFile type="PUnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PUnstructuredGrid GhostLevel="0">
<PPointData>
</PPointData>
<PCellData>
<PDataArray type="Float64" Name="p&lt;" NumberOfComponents="1"/>
</PCellData>
<PPoints>
<PDataArray type="Float64" Name="Points" NumberOfComponents="3"/>
</PPoints>
<Piece Source="a_0.vtu"/>
<Piece Source="a&amp;1.vtu"/>
</PUnstructuredGrid>
</VTKFile>
)");
}

}  // namespace
