// SPDX-License-Identifier: BSD-3-Clause
// Ranks that do not declare the same: declared_differently HOW WHAT FOLDER. What rank 1 declares
// otherwise is, if HOW is
//   type, dim, set, padding   dat 't'               more     a dat more
//   arity, to                 map 'm'               global   global 'g'
//   temporary                 a temporary dat
// and then all call what WHAT names, which writes into FOLDER; no loop uses what differs.
// The exit code is 0, or 3 after an error, which is printed with the number of files in FOLDER.
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <op2/compat/op2_functions.h>
#include <op2/checkpoint.hpp>
#include <op2/hdf5.hpp>
#include <op2/op2.hpp>

namespace {

OP_KERNEL(add_one, (double* a), { *a += 1; });

constexpr int rows = 10;

struct Declared {
  op_set cells, others;
  op_map map;
  op_dat a, t, points;
};

Declared declare(const std::string& odd) {
  const int first = rows * op_rank(), all = rows * op_ranks();
  std::vector<int> next;
  for (int k = first; k < first + rows; ++k) next.insert(next.end(), {k, (k + 1) % all});
  std::vector<double> values(2 * rows, 1.5);
  const std::vector<float> floats(2 * rows, 2.5F);
  Declared d{
      op_decl_set(rows, "cells"), op_decl_set(rows, "others"), nullptr, nullptr, nullptr, nullptr};
  d.map = op_decl_map(d.cells, odd == "to" ? d.others : d.cells, odd == "arity" ? 1 : 2,
                      next.data(), "m");
  d.a = op_decl_dat(d.cells, 1, values.data(), "a");
  const op_set set = odd == "set" ? d.others : d.cells;
  if (odd == "type")
    d.t = op_decl_dat(set, 1, floats.data(), "t");
  else if (odd == "padding")
    d.t = op2::compat::op_decl_dat_char(set, 1, "double", 16,
                                        reinterpret_cast<char*>(values.data()), "t");
  else
    d.t = op_decl_dat(set, odd == "dim" ? 2 : 1, values.data(), "t");
  if (odd == "more") op_decl_dat(set, 1, floats.data(), "u");
  op_decl_dat_temp(set, 1, odd == "temporary" ? "float" : "double", "temporary");
  if (odd == "global") {
    const float zero = 0;
    op_decl_global(1, &zero, "g");
  } else {
    const double zero = 0;
    op_decl_global(1, &zero, "g");
  }
  d.points = op_decl_dat(d.cells, 2, values.data(), "points");
  return d;
}

void act(const std::string& what, const Declared& d, const std::string& folder) {
  std::vector<double> values(2 * rows);
  const op_dat fields[] = {d.t};
  if (what == "flush") {
    op_par_loop(add_one, "add_one", d.cells, op_arg_dat(d.a, OP_RW));
    op_flush();
  }
  if (what == "partition") op_partition("BLOCK", "", d.cells, d.map, nullptr);
  if (what == "checkpoint") op_checkpoint((folder + "/a.ckpt").c_str());
  if (what == "hdf5") op_dump_to_hdf5((folder + "/a.h5").c_str());
  if (what == "hdf5_dat") op_fetch_data_hdf5_file(d.t, (folder + "/b.h5").c_str());
  if (what == "text") op_print_dat_to_txtfile(d.t, (folder + "/a.txt").c_str());
  if (what == "vtu") op_write_vtu((folder + "/a.vtu").c_str(), d.map, d.points, fields);
  if (what == "pvtu") op_write_pvtu((folder + "/a.pvtu").c_str(), d.map, d.points, fields);
  if (what == "series") op_write_series((folder + "/a.pvd").c_str(), 0.5, d.map, d.points, fields);
  if (what == "fetch") op_fetch_data(d.a, values.data());
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::puts("declared_differently HOW WHAT FOLDER"), 2;
  const std::string how = words[1], what = words[2], folder = words[3];
  try {
    op_init(count, words);
    if (op_is_root()) {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directories(folder);
    }
    act(what, declare(op_rank() == 1 ? how : ""), folder);
    op_exit();
  } catch (const std::exception& error) {
    const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
    std::fprintf(stderr, "caught: %s; %d files\n", error.what(), static_cast<int>(files));
    return 3;
  }
  return 0;
}
