// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>

#include <airfoil/mesh.hpp>
#include <support/temporary_directory.hpp>

namespace {

using airfoil::make_c_grid;
using airfoil::Mesh;
using testing::ElementsAre;
using testing::HasSubstr;

using Side = std::pair<int, int>;  // two nodes, the smaller first

Side side(int a, int b) {
  return std::minmax(a, b);
}

/// The nodes of the wake exist once for both sides of the cut, so that node (i, 0) is matched with
/// its mirror image; other nodes stand for themselves.
int merged(const Mesh& mesh, int i_cells, int node) {
  const int width = 3 * i_cells;
  if (node > width || (node > i_cells && node < 2 * i_cells)) return node;
  EXPECT_EQ(mesh.x[2 * node], mesh.x[2 * (width - node)]);
  return std::min(node, width - node);
}

Side merged_side(const Mesh& mesh, int i_cells, const int* nodes) {
  return side(merged(mesh, i_cells, nodes[0]), merged(mesh, i_cells, nodes[1]));
}

std::vector<Side> sides_of_cell(const Mesh& mesh, int i_cells, int cell) {
  std::vector<Side> sides;
  for (int k = 0; k < 4; ++k) {
    const int pair[] = {mesh.cell_nodes[4 * cell + k], mesh.cell_nodes[4 * cell + (k + 1) % 4]};
    sides.push_back(merged_side(mesh, i_cells, pair));
  }
  return sides;
}

double area_of(const Mesh& mesh, int cell) {
  double twice = 0;
  for (int k = 0; k < 4; ++k) {
    const double* a = &mesh.x[2 * mesh.cell_nodes[4 * cell + k]];
    const double* b = &mesh.x[2 * mesh.cell_nodes[4 * cell + (k + 1) % 4]];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

TEST(AirfoilMesh, ClassicSizeHasTheKnownCounts) {
  const Mesh mesh = make_c_grid(400, 600);
  EXPECT_EQ(mesh.nodes(), 721801);
  EXPECT_EQ(mesh.cells(), 720000);
  EXPECT_EQ(mesh.edges(), 1438600);
  EXPECT_EQ(mesh.bedges(), 2800);
}

TEST(AirfoilMesh, SmallestMeshAsDrawnOnPaper) {
  const Mesh mesh = make_c_grid(2, 2);  // 6 x 2 cells, 7 x 3 nodes
  EXPECT_EQ(mesh.nodes(), 21);
  const std::vector<int> first_cells(mesh.cell_nodes.begin(), mesh.cell_nodes.begin() + 8);
  EXPECT_THAT(first_cells, ElementsAre(0, 1, 8, 7, 1, 2, 9, 8));
  const std::vector<int> first_edges(mesh.edge_nodes.begin(), mesh.edge_nodes.begin() + 6);
  EXPECT_THAT(first_edges,
              ElementsAre(0, 1, 7, 8, 1, 8));  // on the cut, above cell 0, right of cell 0
  const std::vector<int> their_cells(mesh.edge_cells.begin(), mesh.edge_cells.begin() + 6);
  EXPECT_THAT(their_cells, ElementsAre(5, 0, 0, 6, 1, 0));
  EXPECT_THAT(mesh.bedge_cell, ElementsAre(2, 3, 5, 11, 11, 10, 9, 8, 7, 6, 6, 0));
  EXPECT_THAT(mesh.bound, ElementsAre(1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(std::vector<int>(mesh.bedge_nodes.begin(), mesh.bedge_nodes.begin() + 8),
              ElementsAre(3, 2, 4, 3, 13, 6, 20, 13));
}

TEST(AirfoilMesh, CornersLieWhereTheSquareOfThePlanePutsThem) {
  const Mesh mesh = make_c_grid(4, 3);
  const auto x = [&](int node) {
    return std::vector<double>{mesh.x[2 * node], mesh.x[2 * node + 1]};
  };
  EXPECT_THAT(x(0), ElementsAre(9, 0));            // (-3 + 0i)^2
  EXPECT_THAT(x(12), ElementsAre(9, 0));           // (3 + 0i)^2
  EXPECT_THAT(x(3 * 13), ElementsAre(0, -18));     // (-3 + 3i)^2
  EXPECT_THAT(x(3 * 13 + 6), ElementsAre(-9, 0));  // (3i)^2
  EXPECT_THAT(x(13), ElementsAre(8, -6));          // (-3 + i)^2
}

TEST(AirfoilMesh, ProfileIsASymmetricNaca0012) {
  const int i_cells = 100;
  const Mesh mesh = make_c_grid(i_cells, 2);
  double thickest = 0;
  for (int i = i_cells + 1; i < 2 * i_cells; ++i) {
    const double x = mesh.x[2 * i] + 0.0077, y = mesh.x[2 * i + 1];
    const int mirror = 3 * i_cells - i;
    EXPECT_NEAR(mesh.x[2 * mirror + 1], -y, 1e-6);
    const double half =
        0.594689181 * (0.298222773 * std::sqrt(std::max(x, 0.0)) - 0.127125232 * x -
                       0.357907906 * x * x + 0.291984971 * x * x * x - 0.105174696 * x * x * x * x);
    EXPECT_NEAR(std::fabs(y), half, 2e-5) << "at x = " << x;
    thickest = std::max(thickest, 2 * std::fabs(y));
  }
  EXPECT_NEAR(thickest, 0.119, 2e-4);
}

TEST(AirfoilMesh, EveryInteriorEdgeHasTwoDistinctCells) {
  const Mesh mesh = make_c_grid(7, 5);
  for (int edge = 0; edge < mesh.edges(); ++edge) {
    EXPECT_NE(mesh.edge_cells[2 * edge], mesh.edge_cells[2 * edge + 1]);
  }
}

TEST(AirfoilMesh, EverySideOfACellIsOneEdgeOfThatCell) {
  const int i_cells = 7;
  const Mesh mesh = make_c_grid(i_cells, 5);
  std::map<int, std::multiset<Side>> sides_by_cell;
  for (int edge = 0; edge < mesh.edges(); ++edge) {
    const Side nodes = merged_side(mesh, i_cells, &mesh.edge_nodes[2 * edge]);
    for (int k = 0; k < 2; ++k) sides_by_cell[mesh.edge_cells[2 * edge + k]].insert(nodes);
  }
  for (int bedge = 0; bedge < mesh.bedges(); ++bedge) {
    sides_by_cell[mesh.bedge_cell[bedge]].insert(
        merged_side(mesh, i_cells, &mesh.bedge_nodes[2 * bedge]));
  }
  ASSERT_EQ(sides_by_cell.size(), static_cast<std::size_t>(mesh.cells()));
  for (int cell = 0; cell < mesh.cells(); ++cell) {
    EXPECT_THAT(sides_by_cell[cell],
                testing::UnorderedElementsAreArray(sides_of_cell(mesh, i_cells, cell)));
  }
}

TEST(AirfoilMesh, AllCellsAreCounterClockwise) {
  const Mesh mesh = make_c_grid(20, 10);
  for (int cell = 0; cell < mesh.cells(); ++cell)
    EXPECT_GT(area_of(mesh, cell), 0) << "cell " << cell;
}

TEST(AirfoilMesh, RoundsAsPrintfDoes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> anywhere(-20, 20);
  std::vector<double> values{0,     1.0 / 128, 3.0 / 128, -5.0 / 128, 1e-7,
                             -1e-7, 5e-7,      0.0000015, 17.9999995};
  for (int i = 0; i < 20000; ++i) values.push_back(anywhere(random));
  for (int i = 0; i < 20000; ++i)
    values.push_back((std::floor(values[i] * 1e6) + 0.5) / 1e6);  // nearly ties
  for (const double value : values) {
    char text[40];
    std::snprintf(text, sizeof text, "%f", value);
    EXPECT_EQ(airfoil::rounded_to_six_decimals(value), std::strtod(text, nullptr)) << text;
  }
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(AirfoilMesh, BlocksOfManyRanksAreTheWholeInOrder) {
  const Mesh whole = make_c_grid(4, 3);
  Mesh all;
  for (int rank = 0; rank < 5; ++rank) {
    const Mesh block = airfoil::block_of(whole, rank, 5);
    append(all.x, block.x);
    append(all.cell_nodes, block.cell_nodes);
    append(all.edge_nodes, block.edge_nodes);
    append(all.edge_cells, block.edge_cells);
    append(all.bedge_nodes, block.bedge_nodes);
    append(all.bedge_cell, block.bedge_cell);
    append(all.bound, block.bound);
  }
  EXPECT_EQ(all, whole);
}

TEST(AirfoilMesh, RefusesAMeshWithoutRoom) {
  EXPECT_THROW(make_c_grid(1, 5), std::invalid_argument);
  EXPECT_THROW(make_c_grid(5, -1), std::invalid_argument);
  EXPECT_THROW(make_c_grid(1 << 20, 1 << 20), std::invalid_argument);
}

TEST(AirfoilMeshFile, IsReadBackExactly) {
  const op2::test::TemporaryDirectory directory;
  const Mesh mesh = make_c_grid(6, 4);
  write_mesh(mesh, directory / "grid.dat");
  EXPECT_EQ(airfoil::read_mesh(directory / "grid.dat"), mesh);
}

TEST(AirfoilMeshFile, StartsWithTheCounts) {
  const op2::test::TemporaryDirectory directory;
  write_mesh(make_c_grid(2, 2), directory / "grid.dat");
  EXPECT_THAT(op2::test::content_of(directory / "grid.dat"),
              testing::StartsWith("21 12 18 12\n9.000000 -0.000000\n"));
}

std::string error_of_reading(const std::string& content) {
  const op2::test::TemporaryDirectory directory;
  std::ofstream(directory / "grid.dat") << content;
  try {
    airfoil::read_mesh(directory / "grid.dat");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(AirfoilMeshFile, ErrorsNameTheLine) {
  EXPECT_THAT(error_of_reading("2 x"), HasSubstr("line 1: expected number of cells"));
  EXPECT_THAT(error_of_reading("-2 0 0 0"), HasSubstr("line 1: impossible number of nodes"));
  EXPECT_THAT(error_of_reading("1 1 0 0\n0 0\n0 0 0 7\n"),
              HasSubstr("line 3: node 7 is not in 0 .. 0"));
  EXPECT_THAT(error_of_reading("2 0 0 0\n0 0\n"), HasSubstr("expected a coordinate"));
  EXPECT_THAT(error_of_reading("1 0 0 0\n0 0\n5"), HasSubstr("text after the last boundary edge"));
}

TEST(AirfoilMeshFile, NamesAMissingFile) {
  EXPECT_THROW(airfoil::read_mesh("/no/such/grid.dat"), std::runtime_error);
}

}  // namespace
