// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files through the public interface, on one rank; and without an HDF5 library.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

OP_KERNEL(add_one, (double* value), { *value += 1; });
OP_KERNEL(sum_ends, (const double* a, const double* b, double* sum), { *sum = *a + *b; });

class Hdf5 : public testing::Test {
 protected:
  void SetUp() override {
    setenv("OP2_RENUMBER", "on", 1);
    op_init(0, nullptr, 1);
    if (!OP2_TEST_HDF5) GTEST_SKIP() << "this build has no HDF5";
  }
  void TearDown() override {
    op_exit();
    unsetenv("OP2_RENUMBER");
  }
  template <class T>
  static std::vector<T> values_of(op_dat dat) {
    std::vector<T> values(static_cast<std::size_t>(dat->set->size * dat->dim));
    op_fetch_data(dat, values.data());
    return values;
  }

  const char* dumped() const {
    op_dump_to_hdf5(file);
    return file;
  }

  const TemporaryDirectory directory;
  const std::string path = directory / "a.h5";
  const char* const file = path.c_str();
};

TEST_F(Hdf5, ALazyProgramIsExecutedBeforeItsDataAreWritten) {
  const op_set cells = op_decl_set(3, "cells");
  const op_dat q = op_decl_dat(cells, 1, std::vector<double>{1, 2, 3}.data(), "q");
  op_par_loop(add_one, "add_one", cells, op_arg_dat(q, OP_RW));
  op_fetch_data_hdf5_file(q, file);
  op_par_loop(add_one, "add_one", cells, op_arg_dat(q, OP_RW));
  op_fetch_data_hdf5_file_path(q, file, "later/q");
  EXPECT_THAT(values_of<double>(op_decl_dat_hdf5(cells, 1, "double", file, "q")),
              ElementsAre(2, 3, 4));
  EXPECT_THAT(values_of<float>(op_decl_dat_hdf5(cells, 1, "float", file, "later/q")),
              ElementsAre(3, 4, 5));
}

TEST_F(Hdf5, MapsMayCountFromOneAndBeLong) {
  const op_set edges = op_decl_set(2, "edges"), nodes = op_decl_set(3, "nodes");
  const op_dat ends = op_decl_dat(edges, 2, std::vector<std::int64_t>{1, 2, 2, 3}.data(), "ends");
  op_fetch_data_hdf5_file(ends, file);
  const op_map map = op_decl_map_hdf5(edges, nodes, 2, file, "ends", 1);
  EXPECT_EQ(std::vector<int>(map->map, map->map + 4), (std::vector<int>{0, 1, 1, 2}));
  EXPECT_THAT(error_text(ErrorCode::map_out_of_range,
                         [&] { op_decl_map_hdf5(edges, nodes, 2, file, "ends"); }),
              AllOf(HasSubstr("row 1, column 1 is 3"), HasSubstr("(0 .. 2)"), HasSubstr("'ends'"),
                    HasSubstr(path)));
}

TEST_F(Hdf5, AMissingDatIsNullWithAWarning) {
  const op_set cells = op_decl_set(3, "cells");
  op_dump_to_hdf5(file);
  testing::internal::CaptureStderr();
  EXPECT_EQ(op_decl_dat_hdf5(cells, 1, "double", file, "absent"), nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("'absent'"), HasSubstr(path), HasSubstr("the dat")));
}

TEST_F(Hdf5, AMissingMapIsNullWithAWarning) {
  const op_set cells = op_decl_set(3, "cells");
  op_dump_to_hdf5(file);
  testing::internal::CaptureStderr();
  EXPECT_EQ(op_decl_map_hdf5(cells, cells, 2, file, "absent"), nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("'absent'"), HasSubstr(path), HasSubstr("the map")));
}

TEST_F(Hdf5, OnlyTheDatasetOfAMapMayBeMissing) {
  const op_set cells = op_decl_set(3, "cells");
  const op_dat q = op_decl_dat<int>(cells, 1, nullptr, "q");
  op_fetch_data_hdf5_file_path(q, file, "group/q");
  const auto map = [&](int dim, const char* name) {
    op_decl_map_hdf5(cells, cells, dim, file, name);
  };
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { map(2, "group/q"); }),
              AllOf(HasSubstr("'group/q'"), HasSubstr(path)));
  error_text(ErrorCode::bad_dataset, [&] { map(1, "group"); });
  error_text(ErrorCode::io_failure,
             [&] { op_decl_map_hdf5(cells, cells, 1, "no_such_file.h5", "q"); });
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { op_decl_set_hdf5(file, "absent"); }),
              AllOf(HasSubstr("'absent'"), HasSubstr(path)));
}

std::int64_t most_memory_in_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_F(Hdf5, NoMemoryIsTakenForRowsThatTheFileDoesNotHave) {
  op_decl_dat<int>(op_decl_set(50, "nodes"), 1, nullptr, "i");
  op_dump_to_hdf5(file);
  const int size = 300000000;
  op_write_const_hdf5("nodes", 1, "int", &size, file);
  const op_set nodes = op_decl_set_hdf5(file, "nodes");
  const std::int64_t before = most_memory_in_kib();
  EXPECT_THAT(
      error_text(ErrorCode::bad_dataset, [&] { op_decl_dat_hdf5(nodes, 1, "int", file, "i"); }),
      HasSubstr("is [50 x 1], but [300000000 x 1] (elements of the set x dim) is needed"));
  error_text(ErrorCode::bad_dataset, [&] { op_decl_map_hdf5(nodes, nodes, 2, file, "i"); });
  EXPECT_LT(most_memory_in_kib() - before, 100 << 10);
}

TEST_F(Hdf5, AFileOfAMeshGeneratorIsToldHowToConvert) {
  const std::string mesh = directory / "in.msh", grid = directory / "in.cgns";
  std::ofstream(mesh) << "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  const std::string advice = "op2-mesh convert " + mesh + " " + std::string(directory / "in.h5");
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { op_decl_set_hdf5(mesh.c_str(), "cells"); }),
              AllOf(HasSubstr("not an HDF5 file"), HasSubstr(advice)));
  const op_set cells = op_decl_set(3, "cells");
  error_text(ErrorCode::io_failure,
             [&] { op_decl_dat_hdf5(cells, 1, "double", mesh.c_str(), "q"); });
  op_dump_to_hdf5(grid.c_str());  // CGNS and Exodus are HDF5, too
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { op_decl_set_hdf5(grid.c_str(), "nodes"); }),
              HasSubstr("op2-mesh convert " + grid));
  EXPECT_THAT(error_text(ErrorCode::bad_dataset, [&] { op_decl_set_hdf5(dumped(), "x"); }),
              testing::Not(HasSubstr("op2-mesh")));
}

/// A ring of cells with random numbering, which the library renumbers.
TEST_F(Hdf5, AnOrderOfTheLibraryDoesNotShowInFiles) {
  constexpr int size = 500;
  std::vector<int> cell(size), ends;
  std::iota(cell.begin(), cell.end(), 0);
  std::shuffle(cell.begin(), cell.end(), std::mt19937(5));
  for (std::size_t e = 0; e < size; ++e) ends.insert(ends.end(), {cell[e], cell[(e + 1) % size]});
  const std::vector<double> start(cell.begin(), cell.end());
  const op_set cells = op_decl_set(size, "cells"), edges = op_decl_set(size, "edges");
  const op_map map = op_decl_map(edges, cells, 2, ends.data(), "ends");
  const op_dat q = op_decl_dat(cells, 1, start.data(), "q");
  const op_dat sum = op_decl_dat<double>(edges, 1, nullptr, "sum");
  op_par_loop(sum_ends, "sum_ends", edges, op_arg_dat(q, 0, map, OP_READ),
              op_arg_dat(q, 1, map, OP_READ), op_arg_dat(sum, OP_WRITE));
  op_dump_to_hdf5(file);
  const op_set cells_again = op_decl_set_hdf5(file, "cells");
  const op_set edges_again = op_decl_set_hdf5(file, "edges");
  const op_map map_again = op_decl_map_hdf5(edges_again, cells_again, 2, file, "ends");
  EXPECT_EQ(std::vector<int>(map_again->map, map_again->map + 2 * size), ends);
  EXPECT_EQ(values_of<double>(op_decl_dat_hdf5(cells_again, 1, "double", file, "q")), start);
  EXPECT_EQ(values_of<double>(op_decl_dat_hdf5(edges_again, 1, "double", file, "sum")),
            values_of<double>(sum));
}

TEST_F(Hdf5, ConstantsOfEveryKindOfPointer) {
  const double pair[] = {1.5, 2.5};
  op_write_const_hdf5("group/pair", 2, "double", pair, file);
  op_write_const_hdf5("bytes", 2, "double", reinterpret_cast<const char*>(pair), file);
  float read[2] = {};
  op_get_const_hdf5("group/pair", 2, "float", read, file);
  EXPECT_THAT(read, ElementsAre(1.5F, 2.5F));
  op_get_const_hdf5("bytes", 2, "float", reinterpret_cast<char*>(read), file);
  EXPECT_THAT(read, ElementsAre(1.5F, 2.5F));
  error_text(ErrorCode::null_data,
             [&] { op_get_const_hdf5("bytes", 2, "double", static_cast<double*>(nullptr), file); });
}

TEST_F(Hdf5, NamesThatCannotBeInOneFileAreRefused) {
  const op_set cells = op_decl_set(3, "cells");
  op_decl_dat<double>(cells, 1, nullptr, "cells");
  EXPECT_THAT(
      error_text(ErrorCode::bad_name, [&] { op_dump_to_hdf5(file); }),
      HasSubstr("one dataset for two objects: op_dump_to_hdf5, set 'cells' and dat 'cells'"));
  EXPECT_EQ(directory.file_count(), 0u);
}

TEST(WithoutHdf5, EveryFunctionSaysSo) {
  if (OP2_TEST_HDF5) GTEST_SKIP() << "this build has HDF5";
  op_init(0, nullptr, 0);
  const op_set s = op_decl_set(1, "s");
  const op_dat d = op_decl_dat<double>(s, 1, nullptr, "d");
  double value = 0;
  const std::function<void()> calls[] = {
      [] { op_decl_set_hdf5("a.h5", "x"); },
      [] { op_decl_set_hdf5_infer_size("a.h5", "x", "y"); },
      [&] { op_decl_map_hdf5(s, s, 1, "a.h5", "x"); },
      [&] { op_decl_dat_hdf5(s, 1, "double", "a.h5", "x"); },
      [&] { op_get_const_hdf5("x", 1, "double", &value, "a.h5"); },
      [&] { op_write_const_hdf5("x", 1, "double", &value, "a.h5"); },
      [] { op_dump_to_hdf5("a.h5"); },
      [&] { op_fetch_data_hdf5_file(d, "a.h5"); },
      [&] { op_fetch_data_hdf5_file_path(d, "a.h5", "x"); }};
  for (const auto& call : calls)
    EXPECT_THAT(error_text(ErrorCode::not_compiled, call), HasSubstr("OP2_WITH_HDF5"));
  op_exit();
}

}  // namespace
}  // namespace op2::test
