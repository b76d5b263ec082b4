// SPDX-License-Identifier: BSD-3-Clause
// A call that takes long says so on a terminal: here rank 0 waits in each call for rank 1, which
// comes when the terminal has shown it.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <op2/checkpoint.hpp>

#include <support/graph_on_ranks.hpp>
#include <support/shared_folder.hpp>
#include <support/terminal.hpp>

namespace op2::test {
namespace {

using testing::HasSubstr;

class LongCall : public testing::Test {
 protected:
  LongCall() {
    if (is_first()) terminal_.emplace();
    setenv("OP2_DEBUG", "patience=20", 1);
    op_init(0, nullptr);
    mesh = declare(ring(40));
    std::vector<double> values(2 * static_cast<std::size_t>(mesh.my_cells.size()), 0.5);
    points = op_decl_dat(mesh.cells, 2, "double", values.data(), "points");
  }
  ~LongCall() override {
    op_exit();
    unsetenv("OP2_DEBUG");
  }

  static bool is_first() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
  }

  void expect_shown(const std::string& text, const std::function<void()>& call) {
    const std::string seen = folder / std::to_string(calls_++);
    if (!is_first()) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!std::filesystem::exists(seen) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      call();
      return;
    }
    std::string shown;
    std::thread reader([&] {
      shown = terminal_->wait_for(text);
      std::ofstream{seen};
    });
    call();
    reader.join();
    EXPECT_THAT(shown, HasSubstr(text));
  }

  /// "op2: writing '/tmp/.../a.vtu'"
  std::string shown(const std::string& what, const std::string& file) const {
    return "op2: " + what + " '" + (folder / file) + "', 0 s so far";
  }

  const SharedFolder folder;
  DeclaredGraph mesh{};
  op_dat points = nullptr;

 private:
  std::optional<Terminal> terminal_;  ///< of rank 0
  int calls_ = 0;
};

TEST_F(LongCall, ThatWritesForParaViewShowsTheFile) {
  const std::vector<op_dat> fields{mesh.state};
  expect_shown(shown("writing", "a.vtu"),
               [&] { op_write_vtu((folder / "a.vtu").c_str(), mesh.ends, points, fields); });
  expect_shown(shown("writing", "b.pvtu"),
               [&] { op_write_pvtu((folder / "b.pvtu").c_str(), mesh.ends, points, fields); });
  expect_shown(shown("reading", "c.pvd"),
               [&] { op_write_series((folder / "c.pvd").c_str(), 0, mesh.ends, points, fields); });
}

TEST_F(LongCall, ThatWritesNumbersShowsTheFile) {
  expect_shown(shown("writing", "a.txt"),
               [&] { op_print_dat_to_txtfile(mesh.state, (folder / "a.txt").c_str()); });
  expect_shown(shown("writing", "a.bin"),
               [&] { op_print_dat_to_binfile(mesh.state, (folder / "a.bin").c_str()); });
}

TEST_F(LongCall, ThatWritesOrReadsACheckpointShowsTheFile) {
  const std::string file = folder / "a.ckpt";
  expect_shown(shown("writing", "a.ckpt"), [&] { op_checkpoint(file.c_str()); });
  expect_shown(shown("reading", "a.ckpt"), [&] { op_restore(file.c_str()); });
  op_checkpoint_at(file.c_str(), {.every_steps = 1, .every_seconds = 0, .signal = 0});
  expect_shown(shown("writing", "a.ckpt"), [&] { op_checkpoint_step(); });
}

TEST_F(LongCall, ThatUsesAnHdf5FileShowsIt) {
  if (!OP2_TEST_HDF5) GTEST_SKIP();
  const std::string file = folder / "a.h5";
  expect_shown(shown("writing", "a.h5"), [&] { op_dump_to_hdf5(file.c_str()); });
  expect_shown(shown("writing", "a.h5"),
               [&] { op_fetch_data_hdf5_file(mesh.state, file.c_str()); });
  expect_shown(shown("reading", "a.xdmf"),
               [&] { op_write_series((folder / "a.xdmf").c_str(), 0, mesh.ends, points, {}); });
  const int number = 1;
  expect_shown(shown("writing", "a.h5"),
               [&] { op_write_const_hdf5("n", 1, "int", &number, file.c_str()); });
  op_set cells = nullptr, edges = nullptr;
  expect_shown("op2: reading dataset 'cells' of '" + file,
               [&] { cells = op_decl_set_hdf5(file.c_str(), "cells"); });
  expect_shown("op2: reading dataset 'ends' of '" + file,
               [&] { edges = op_decl_set_hdf5_infer_size(file.c_str(), "edges", "ends"); });
  int read = 0;
  expect_shown("op2: reading dataset 'n' of '" + file,
               [&] { op_get_const_hdf5("n", 1, "int", &read, file.c_str()); });
  expect_shown("op2: reading dataset 'ends' of '" + file,
               [&] { op_decl_map_hdf5(edges, cells, 2, file.c_str(), "ends"); });
  expect_shown("op2: reading dataset 'state' of '" + file,
               [&] { op_decl_dat_hdf5(cells, 1, "double", file.c_str(), "state"); });
}

TEST_F(LongCall, ThatPartitionsShowsHow) {
  expect_shown("op2: op_partition by coordinate bisection",
               [&] { op_partition("INERTIAL", "", mesh.cells, mesh.ends, points); });
}

TEST_F(LongCall, ThatPlansLoopsShowsHowMany) {
  run_flow(mesh);
  expect_shown("op2: planning a sequence of 1 loop, 0 s so far", [] { op_flush(); });
}

TEST_F(LongCall, ThatEndsTheSessionShowsForWhom) {
  expect_shown("op2: op_exit, until other ranks call it, 0 s so far", [] { op_exit(); });
}

}  // namespace
}  // namespace op2::test
