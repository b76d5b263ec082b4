// SPDX-License-Identifier: BSD-3-Clause
// A program that writes and reads HDF5 files, on any number of ranks; with the public interface
// alone. hdf5_on_ranks write PREFIX  writes PREFIX.declared.h5, .distributed.h5 and .added.h5
//         hdf5_on_ranks read IN OUT  declares the mesh of IN, computes, checks, and writes OUT
//         hdf5_on_ranks fail FOLDER  makes every mistake; all ranks get each error
// The exit code is 0, or 3 after an error, which is printed.
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <support/graph_on_ranks.hpp>

namespace {

using namespace op2::test;

constexpr int graph_size = 1000, steps = 3;

void expect(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("wrong: ") + what);
}

/// Dats of all types on the cells, one with a group in its name, and an empty set.
void declare_more(const DeclaredGraph& d) {
  const auto size = static_cast<std::size_t>(d.my_cells.size());
  std::vector<float> f;
  std::vector<std::int64_t> ll;
  std::vector<unsigned> u;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell) {
    f.insert(f.end(), {0.5F * cell, -1.5F * cell});
    ll.push_back(std::int64_t{cell} << 32);
    u.push_back(4000000000U + cell);
  }
  const std::unique_ptr<bool[]> odd(new bool[size + 1]);
  for (std::size_t k = 0; k < size; ++k) odd[k] = (d.my_cells.begin + static_cast<int>(k)) % 2 == 1;
  op_decl_dat(d.cells, 2, "float", f.data(), "more/float");
  op_decl_dat(d.cells, 1, "ll", ll.data(), "more/ll");
  op_decl_dat(d.cells, 1, "uint", u.data(), "more/uint");
  op_decl_dat(d.cells, 1, "bool", odd.get(), "more/bool");
  const op_set nothing = op_decl_set(0, "nothing");
  op_decl_dat<double>(nothing, 3, "double", nullptr, "none");
  op_decl_dat_temp(d.cells, 1, "double", "state");
}

void write_files(const std::string& prefix) {
  const DeclaredGraph d = declare(ring(graph_size));
  declare_more(d);
  op_dump_to_hdf5((prefix + ".declared.h5").c_str());
  op_partition("RANDOM", "", d.cells, nullptr, nullptr);
  run_steps(d, steps);
  op_dump_to_hdf5((prefix + ".distributed.h5").c_str());
  const std::string added = prefix + ".added.h5";
  const double values[] = {1.5, 2.5, 3.5};
  const int one = 7;
  op_write_const_hdf5("constants/three", 3, "double", values, added.c_str());
  op_write_const_hdf5("one", 1, "int", reinterpret_cast<const char*>(&one), added.c_str());
  op_fetch_data_hdf5_file(d.state, added.c_str());
  run_steps(d, 1);
  op_fetch_data_hdf5_file(d.state, added.c_str());
  op_fetch_data_hdf5_file_path(d.state, added.c_str(), "/results/step_4/state");
  op_fetch_data_hdf5_file_path(d.flux, added.c_str(), "results/step_4/flux");
  float got[3] = {};
  op_get_const_hdf5("constants/three", 3, "float", got, added.c_str());
  expect(got[0] == 1.5F && got[1] == 2.5F && got[2] == 3.5F, "constants");
}

void read_files(const char* in, const char* out) {
  const Graph graph = ring(graph_size);
  DeclaredGraph d{};
  d.cells = op_decl_set_hdf5(in, "cells");
  d.edges = op_decl_set_hdf5_infer_size(in, "edges", "ends");
  d.ends = op_decl_map_hdf5(d.edges, d.cells, 2, in, "ends");
  d.state = op_decl_dat_hdf5(d.cells, 1, "double", in, "state");
  expect(op_decl_dat_hdf5(d.cells, 1, "double", in, "absent") == nullptr, "a dat that is missing");
  expect(op_get_size(d.cells) == graph.cells && op_get_size(d.edges) == graph.edges(), "sizes");
  const int more = op_rank() < graph_size % op_ranks() ? 1 : 0;
  expect(d.cells->size == graph_size / op_ranks() + more, "the size of a block");
  op_partition("PTSCOTCH", "KWAY", d.cells, d.ends, nullptr);
  d.flux = op_decl_dat_hdf5(d.cells, 1, "double", in, "flux");  // into a distributed mesh
  run_steps(d, steps);
  std::vector<double> state(graph_size);
  op_fetch_data_idx(d.state, state.data(), 0, graph_size - 1);
  expect(state == expected_state(graph, steps), "state");
  op_decl_dat_hdf5(d.cells, 2, "float", in, "more/float");
  op_decl_dat_hdf5(d.cells, 1, "ll", in, "more/ll");
  op_decl_dat_hdf5(d.cells, 1, "uint", in, "more/uint");
  op_decl_dat_hdf5(d.cells, 1, "bool", in, "more/bool");
  const op_set nothing = op_decl_set_hdf5(in, "nothing");
  op_decl_dat_hdf5(nothing, 3, "double", in, "none");
  op_dump_to_hdf5(out);
}

/// Throws unless all ranks get an error of this code that says this.
template <class Call>
void expect_error(op2::ErrorCode code, const char* text, const Call& call) {
  try {
    call();
  } catch (const op2::Error& error) {
    if (error.code() == code && std::string(error.what()).find(text) != std::string::npos) return;
    throw std::runtime_error(std::string("another error: ") + error.what());
  }
  throw std::runtime_error(std::string("no error that says ") + text);
}

/// No file may grow beyond a few KiB, as on a full disk.
void expect_full_disk(const DeclaredGraph& d, const std::string& folder) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto write_too_much = [&](rlim_t bytes) {
    const rlimit limit{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_error(op2::ErrorCode::io_failure, "File too large",
                 [&] { op_dump_to_hdf5((folder + "/full.h5").c_str()); });
    expect_error(op2::ErrorCode::io_failure, "File too large", [&] {
      op_fetch_data_hdf5_file_path(d.state, (folder + "/good.h5").c_str(), "one/more");
    });
    setrlimit(RLIMIT_FSIZE, &old);
  };
  for (const rlim_t bytes : {100, 10'000, 20'000}) write_too_much(bytes);
  op_decl_set_hdf5((folder + "/good.h5").c_str(), "cells");
}

void make_mistakes(const std::string& folder) {
  using enum op2::ErrorCode;
  const std::string good = folder + "/good.h5", text = folder + "/text.h5";
  const char* file = good.c_str();
  const DeclaredGraph d = declare(ring(graph_size));
  op_dump_to_hdf5(file);
  if (op_is_root()) std::ofstream(text) << "no HDF5";
  const int minus = -5;
  op_write_const_hdf5("minus", 1, "int", &minus, file);
  const std::int64_t large = std::int64_t{1} << 31;
  op_write_const_hdf5("large", 1, "ll", &large, file);
  expect_error(io_failure, "absent.h5",
               [&] { op_decl_set_hdf5((folder + "/absent.h5").c_str(), "x"); });
  expect_error(io_failure, "not an HDF5 file", [&] { op_decl_set_hdf5(text.c_str(), "x"); });
  expect_error(bad_dataset, "no such dataset: 'x'", [&] { op_decl_set_hdf5(file, "x"); });
  expect_error(bad_size, "-5 elements", [&] { op_decl_set_hdf5(file, "minus"); });
  expect_error(too_large, "2147483648", [&] { op_decl_set_hdf5(file, "large"); });
  expect_error(bad_dataset, "[1000 x 2]", [&] { op_decl_set_hdf5(file, "ends"); });
  expect_error(bad_dataset, "'x'", [&] { op_decl_set_hdf5_infer_size(file, "s", "x"); });
  expect_error(bad_name, "path is empty", [&] { op_decl_set_hdf5("", "cells"); });
  expect_error(map_out_of_range, "is 0, but set 'cells' has 1000 elements (1 .. 1000)",
               [&] { op_decl_map_hdf5(d.edges, d.cells, 2, file, "ends", 1); });
  expect_error(bad_dataset, "[1000 x 3]",
               [&] { op_decl_map_hdf5(d.edges, d.cells, 3, file, "ends"); });
  expect_error(bad_dataset, "floating-point",
               [&] { op_decl_map_hdf5(d.edges, d.cells, 1, file, "state"); });
  expect_error(bad_type, "doulbe", [&] { op_decl_dat_hdf5(d.cells, 1, "doulbe", file, "state"); });
  expect_error(bad_dataset, "floating-point",
               [&] { op_decl_dat_hdf5(d.cells, 1, "int", file, "state"); });
  double two[2];
  expect_error(bad_dataset, "2 values",
               [&] { op_get_const_hdf5("minus", 2, "double", two, file); });
  expect_error(bad_type, "does not match",
               [&] { op_get_const_hdf5("minus", 1, "int", two, file); });
  expect_error(io_failure, "none/a.h5", [&] { op_dump_to_hdf5((folder + "/none/a.h5").c_str()); });
  expect_error(io_failure, "not an HDF5 file",
               [&] { op_fetch_data_hdf5_file(d.state, text.c_str()); });
  expect_error(io_failure, "'cells/state'",
               [&] { op_fetch_data_hdf5_file_path(d.state, file, "cells/state"); });
  expect_full_disk(d, folder);
  op_decl_dat<double>(d.cells, 1, "double", nullptr, "/cells/below");
  expect_error(bad_name, "set 'cells' with dat", [&] { op_dump_to_hdf5(file); });
}

void run(int count, char** words) {
  const std::string how = words[1];
  if (how == "write") write_files(words[2]);
  if (how == "read") read_files(words[2], words[count - 1]);
  if (how == "fail") make_mistakes(words[2]);
  op_printf("done: %s\n", words[1]);
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::puts("hdf5_on_ranks write|read|fail PATH [OUT]"), 2;
  try {
    op_init(count, words);
    run(count, words);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    return 3;
  }
  return 0;
}
