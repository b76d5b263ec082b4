// SPDX-License-Identifier: BSD-3-Clause
// A grid in pieces is the whole grid: every cell once, with the values of its own and of its nodes.
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/expect_error.hpp>
#include <support/graph_on_ranks.hpp>
#include <support/shared_folder.hpp>
#include <support/temporary_directory.hpp>
#include <support/vtu_reader.hpp>

namespace op2::test {
namespace {

using testing::Each;
using testing::HasSubstr;

class Pieces : public testing::TestWithParam<const char*> {
 protected:
  Pieces() {
    setenv("OP2_LOG", "error", 1);
    op_init(0, nullptr);
  }
  ~Pieces() override { op_exit(); }

  /// The edges of the graph are the cells of the grid, and its cells are the nodes.
  DeclaredGraph declared(const Graph& graph) {
    const DeclaredGraph d = declare(graph);
    std::vector<double> points;
    std::vector<int> numbers;
    for (int node = d.my_cells.begin; node < d.my_cells.end; ++node)
      points.insert(points.end(), {double(node), 0.5 * node});
    for (int edge = d.my_edges.begin; edge < d.my_edges.end; ++edge) numbers.push_back(edge);
    coordinates = op_decl_dat(d.cells, 2, "double", points.data(), "points");
    number = op_decl_dat(d.edges, 1, "int", numbers.data(), "number");
    if (*GetParam() != '\0') op_partition(GetParam(), "", d.cells, d.ends, coordinates);
    return d;
  }

  /// Counts the cells of a piece and checks what is at each.
  void check_piece(const VtuFile& piece, const Graph& graph, op_dat field,
                   const std::vector<double>& state, std::vector<int>& seen) {
    const auto numbers = piece.arrays.at(number->name).as<int>();
    const auto nodes = piece.arrays.at("connectivity").as<int>();
    const auto points = piece.arrays.at("Points").as<double>();
    const auto states = piece.arrays.at(field->name).as<double>();
    ASSERT_EQ(nodes.size(), 2 * numbers.size());
    ASSERT_EQ(points.size(), 3 * states.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto edge = static_cast<std::size_t>(numbers[k / 2]);
      const auto node = static_cast<std::size_t>(nodes[k]);
      const int expected = graph.ends[2 * edge + k % 2];
      EXPECT_EQ(points[3 * node], expected);
      EXPECT_EQ(points[3 * node + 1], 0.5 * expected);
      EXPECT_EQ(states[node], state[static_cast<std::size_t>(expected)]);
      if (k % 2 == 0) ++seen[edge];
    }
  }

  op_dat coordinates = nullptr, number = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Ways, Pieces, testing::Values("", "RANDOM", "RCB"));

TEST_P(Pieces, EveryCellIsInOnePieceWithItsValues) {
  const SharedFolder folder;
  for (const int size : {0, 1, 5, 200}) {
    const Graph graph = ring(size);
    const DeclaredGraph d = declared(graph);
    run_steps(d, 3);  // halos of nodes are out of date now
    const op_dat fields[] = {d.state, number};
    op_write_pvtu((folder / "ring.pvtu").c_str(), d.ends, coordinates, fields);
    const std::string index = content_of(folder / "ring.pvtu");
    std::vector<int> seen(static_cast<std::size_t>(graph.edges()), 0);
    for (int rank = 0; rank < op_ranks(); ++rank) {
      const std::string name = "ring_" + std::to_string(rank) + ".vtu";
      EXPECT_THAT(index, HasSubstr("<Piece Source=\"" + name + "\"/>"));
      check_piece(parse_vtu(content_of(folder / name)), graph, d.state, expected_state(graph, 3),
                  seen);
    }
    EXPECT_THAT(seen, Each(1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_P(Pieces, MistakesAreErrorsOnAllRanks) {
  const DeclaredGraph d = declared(ring(10));
  const auto write = [&](const char* path, op_dat points, op_dat field) {
    const op_dat fields[] = {field};
    op_write_pvtu(path, d.ends, points, fields);
  };
  EXPECT_THAT(error_text(ErrorCode::io_failure,
                         [&] { write("/no/such/folder/a.pvtu", coordinates, d.state); }),
              HasSubstr("/no/such/folder/a_"));
  error_text(ErrorCode::wrong_set, [&] { write("a.pvtu", number, d.state); });
  error_text(ErrorCode::bad_dim, [&] { write("a.pvtu", d.state, d.state); });
  error_text(ErrorCode::bad_name, [&] { write("", coordinates, d.state); });
}

}  // namespace
}  // namespace op2::test
