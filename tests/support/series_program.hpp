// SPDX-License-Identifier: BSD-3-Clause
// A small time loop that writes results, on any number of ranks.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <op2/op2.hpp>

#include <support/temporary_directory.hpp>

namespace op2::test {

OP_KERNEL(grow, (double* u, int* age), {
  *u += 1;
  ++*age;
});

/// A row of lines, in a running session.
class SeriesProgram {
 public:
  static constexpr int points = 3001;

  SeriesProgram() {
    const int begin = points * op_rank() / op_ranks(), end = points * (op_rank() + 1) / op_ranks();
    const int last = std::min(end, points - 1);
    std::vector<double> x, u, pair;
    std::vector<float> weight;
    std::vector<long long> five;
    std::vector<int> ends;
    for (int k = begin; k < end; ++k) {
      x.insert(x.end(), {0.5 * k, 1.0 / (k + 1)});
      u.push_back(k);
      pair.insert(pair.end(), {1.0 * k, -1.0 * k});
    }
    for (int k = begin; k < last; ++k) {
      ends.insert(ends.end(), {k, k + 1});
      weight.insert(weight.end(), {1.0F * k, 0.5F * k, -1.0F * k});
      for (int c = 0; c < 5; ++c) five.push_back(5LL * k + c);
    }
    points_ = op_decl_set(end - begin, "points");
    const op_set lines = op_decl_set(last - begin, "lines");
    ends_ = op_decl_map(lines, points_, 2, ends, "ends");
    x_ = op_decl_dat(points_, 2, x, "x");
    u_ = op_decl_dat(points_, 1, u, "u");
    age_ = op_decl_dat(points_, 1, "int", static_cast<int*>(nullptr), "age");
    pair_ = op_decl_dat(points_, 2, pair, "pair");
    weight_ = op_decl_dat(lines, 3, weight, "weight");
    five_ = op_decl_dat(lines, 5, five, "five");
  }

  void advance() {
    op_par_loop(grow, "grow", points_, op_arg_dat(u_, OP_RW), op_arg_dat(age_, OP_RW));
    ++step;
  }
  std::vector<op_dat> fields() const { return {u_, age_, pair_, weight_, five_}; }
  void write_time(const std::string& series) const {
    op_write_series(series.c_str(), 0.25 * step, ends_, x_, fields());
  }
  void write_whole(const std::string& file) const {
    op_write_vtu(file.c_str(), ends_, x_, fields());
  }
  void write_pieces(const std::string& file) const {
    op_write_pvtu(file.c_str(), ends_, x_, fields());
  }

  int step = 0;

 private:
  op_set points_ = nullptr;
  op_map ends_ = nullptr;
  op_dat x_ = nullptr, u_ = nullptr, age_ = nullptr, pair_ = nullptr, weight_ = nullptr,
         five_ = nullptr;
};

/// The files of a folder by their names.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    files[file.path().filename().string()] = content_of(file.path().string());
  return files;
}

/// The files that a series names, in their order; none if it is not there. Every line but the first
/// three and the last two must name one.
inline std::vector<std::string> files_of_series(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> names, lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) return names;
  if (lines.size() < 5 || lines.back() != "</VTKFile>")
    throw std::runtime_error("not a whole series: " + path);
  for (std::size_t k = 3; k + 2 < lines.size(); ++k) {
    const std::size_t begin = lines[k].find("file=\"") + 6;
    names.push_back(lines[k].substr(begin, lines[k].find('"', begin) - begin));
  }
  return names;
}

}  // namespace op2::test
