// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "mesh.hpp"

namespace airfoil {

namespace {

/// Parses numbers from text; counts lines for error messages.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read mesh file '" + path + "'");
    text_.assign(std::istreambuf_iterator<char>(file), {});
    at_ = text_.data();
    end_ = at_ + text_.size();
  }

  template <class T>
  T next(const char* what) {
    skip_space();
    T value{};
    const auto [rest, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{}) fail("expected ", what);
    at_ = rest;
    return value;
  }

  int count(const char* what) {
    const int value = next<int>(what);
    if (value < 0 || value > std::numeric_limits<int>::max() / 4)
      fail("impossible ", what);
    return value;
  }

  int index(int size, const char* what) {
    const int value = next<int>(what);
    if (value < 0 || value >= size) {
      fail(std::string(what) + ' ' + std::to_string(value) + " is not in 0 .. " +
           std::to_string(size - 1));
    }
    return value;
  }

  void expect_end() {
    skip_space();
    if (at_ != end_) fail("text after the last boundary edge");
  }

 private:
  void skip_space() {
    for (; at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'); ++at_)
      line_ += *at_ == '\n';
  }
  [[noreturn]] void fail(const std::string& problem, const char* subject = "") const {
    throw std::runtime_error("mesh file '" + path_ + "', line " + std::to_string(line_) + ": " +
                             problem + subject);
  }

  std::string path_, text_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int line_ = 1;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void print(const File& file, const Mesh& mesh) {
  std::fprintf(file.get(), "%d %d %d %d\n", mesh.nodes(), mesh.cells(), mesh.edges(),
               mesh.bedges());
  for (int i = 0; i < mesh.nodes(); ++i)
    std::fprintf(file.get(), "%f %f\n", mesh.x[2 * i], mesh.x[2 * i + 1]);
  for (int i = 0; i < mesh.cells(); ++i) {
    const int* node = &mesh.cell_nodes[4 * i];
    std::fprintf(file.get(), "%d %d %d %d\n", node[0], node[1], node[2], node[3]);
  }
  for (int i = 0; i < mesh.edges(); ++i) {
    const int *node = &mesh.edge_nodes[2 * i], *cell = &mesh.edge_cells[2 * i];
    std::fprintf(file.get(), "%d %d %d %d\n", node[0], node[1], cell[0], cell[1]);
  }
  for (int i = 0; i < mesh.bedges(); ++i) {
    const int* node = &mesh.bedge_nodes[2 * i];
    std::fprintf(file.get(), "%d %d %d %d\n", node[0], node[1], mesh.bedge_cell[i], mesh.bound[i]);
  }
}

}  // namespace

Mesh read_mesh(const std::string& path) {
  Reader in(path);
  const int nodes = in.count("number of nodes"), cells = in.count("number of cells");
  const int edges = in.count("number of edges"), bedges = in.count("number of boundary edges");
  Mesh mesh;
  for (int i = 0; i < 2 * nodes; ++i) mesh.x.push_back(in.next<double>("a coordinate"));
  for (int i = 0; i < 4 * cells; ++i) mesh.cell_nodes.push_back(in.index(nodes, "node"));
  for (int i = 0; i < edges; ++i) {
    for (int k = 0; k < 2; ++k) mesh.edge_nodes.push_back(in.index(nodes, "node"));
    for (int k = 0; k < 2; ++k) mesh.edge_cells.push_back(in.index(cells, "cell"));
  }
  for (int i = 0; i < bedges; ++i) {
    for (int k = 0; k < 2; ++k) mesh.bedge_nodes.push_back(in.index(nodes, "node"));
    mesh.bedge_cell.push_back(in.index(cells, "cell"));
    mesh.bound.push_back(in.next<int>("a kind of boundary"));
  }
  in.expect_end();
  return mesh;
}

void write_mesh(const Mesh& mesh, const std::string& path) {
  File file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) throw std::runtime_error("cannot write mesh file '" + path + "'");
  print(file, mesh);
  const bool failed = std::ferror(file.get()) != 0;
  if (std::fclose(file.release()) != 0 || failed) {
    throw std::runtime_error("cannot write mesh file '" + path + "': the disk may be full");
  }
}

}  // namespace airfoil
