// SPDX-License-Identifier: BSD-3-Clause
// The physical plane z is the square of a computational plane w: there the profile and its wake are
// a curve along the real axis, and grid lines are nearly straight.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "mesh.hpp"

namespace airfoil {

namespace {

using Reals = std::vector<double>;

constexpr double w_max = 3;  // the grid covers [-w_max, w_max] x [0, w_max] of the w plane

double equidistant(double first, double last, int k, int intervals) {
  return first + (last - first) * k / intervals;
}

/// Second derivatives of the cubic spline through (x, y) whose third derivative is continuous at
/// the second and the last but one point ("not a knot"). At least four points.
Reals spline_curvatures(const Reals& x, const Reals& y) {
  const std::size_t last = x.size() - 1;
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };

  Reals lower(last), diagonal(last), upper(last), m(last + 1);
  for (std::size_t i = 1; i < last; ++i) {
    lower[i] = h(i - 1);
    diagonal[i] = 2 * (h(i - 1) + h(i));
    upper[i] = h(i);
    m[i] = 6 * (slope(i) - slope(i - 1));
  }
  // The end conditions m_0 = m_1 - (m_2 - m_1) h_0 / h_1, and the same at the other end,
  // substituted into the first and last row.
  const double first_ratio = h(0) / h(1);
  const double last_ratio = h(last - 1) / h(last - 2);
  diagonal[1] += h(0) * (1 + first_ratio);
  upper[1] -= h(0) * first_ratio;
  diagonal[last - 1] += h(last - 1) * (1 + last_ratio);
  lower[last - 1] -= h(last - 1) * last_ratio;

  for (std::size_t i = 2; i < last; ++i) {
    const double factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    m[i] -= factor * m[i - 1];
  }
  m[last - 1] /= diagonal[last - 1];
  for (std::size_t i = last - 2; i > 0; --i) m[i] = (m[i] - upper[i] * m[i + 1]) / diagonal[i];
  m[0] = m[1] - (m[2] - m[1]) * first_ratio;
  m[last] = m[last - 1] + (m[last - 1] - m[last - 2]) * last_ratio;
  return m;
}

class Spline {
 public:
  Spline(Reals x, Reals y) : x_(std::move(x)), y_(std::move(y)), m_(spline_curvatures(x_, y_)) {}

  double operator()(double at) const {
    const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
    const std::size_t k = above - x_.begin() - 1;
    const double h = x_[k + 1] - x_[k];
    const double a = (x_[k + 1] - at) / h;
    const double b = (at - x_[k]) / h;
    return a * y_[k] + b * y_[k + 1] +
           ((a * a * a - a) * m_[k] + (b * b * b - b) * m_[k + 1]) * h * h / 6;
  }

 private:
  Reals x_, y_, m_;
};

/// The NACA0012 in the w plane, where the square root opens it into a smooth curve: from the
/// trailing edge along the lower side to the nose and back along the upper side.
Spline profile() {
  constexpr int points = 100;
  std::vector<std::complex<double>> half;
  for (int k = 0; k < points; ++k) {
    const double s = std::sin(equidistant(0, std::numbers::pi / 2, k, points - 1));
    const double x = s * s;
    const double thickness = 0.298222773 * std::sqrt(x) - 0.127125232 * x - 0.357907906 * x * x +
                             0.291984971 * x * x * x - 0.105174696 * x * x * x * x;
    const double y = k == points - 1 ? 0 : 0.594689181 * thickness;
    half.push_back(std::sqrt(std::complex<double>(x - 0.0077, y)));
  }
  Reals xi, eta;
  const auto add_point = [&](double real, double imaginary) {
    xi.push_back(real);
    eta.push_back(imaginary);
  };
  for (int k = points - 1; k >= 0; --k) add_point(-half[k].real(), half[k].imag());
  for (int k = 1; k < points; ++k) add_point(half[k].real(), half[k].imag());
  return {xi, eta};
}

struct CGrid {
  int i_cells;  ///< around the profile, and as many in each half of the wake
  int j_cells;

  int width() const { return 3 * i_cells; }
  int node(int i, int j) const { return i + j * (width() + 1); }
  int cell(int i, int j) const { return i + j * width(); }
  bool on_profile(int i) const { return i > i_cells && i < 2 * i_cells; }
};

Reals coordinates_of(const CGrid& grid) {
  const Spline curve = profile();
  Reals xi, eta;
  for (int i = 0; i <= grid.width(); ++i) {
    xi.push_back(equidistant(-w_max, w_max, i, grid.width()));
    eta.push_back(grid.on_profile(i) ? curve(xi[i]) : 0);
  }
  Reals x;
  x.reserve(2 * xi.size() * (grid.j_cells + 1));
  for (int j = 0; j <= grid.j_cells; ++j) {
    for (int i = 0; i <= grid.width(); ++i) {
      const double height = equidistant(eta[i], w_max, j, grid.j_cells);
      x.push_back(rounded_to_six_decimals(xi[i] * xi[i] - height * height));
      x.push_back(rounded_to_six_decimals(2 * xi[i] * height));
    }
  }
  return x;
}

void add_edge(Mesh& mesh, int node0, int node1, int cell0, int cell1) {
  mesh.edge_nodes.insert(mesh.edge_nodes.end(), {node0, node1});
  mesh.edge_cells.insert(mesh.edge_cells.end(), {cell0, cell1});
}

void add_bedge(Mesh& mesh, int node0, int node1, int cell, Boundary bound) {
  mesh.bedge_nodes.insert(mesh.bedge_nodes.end(), {node0, node1});
  mesh.bedge_cell.push_back(cell);
  mesh.bound.push_back(bound);
}

/// Across the cut downstream of the profile is the cell at the mirrored position.
void add_cell_and_edges(Mesh& mesh, const CGrid& grid, int i, int j) {
  const auto node = [&](int di, int dj) { return grid.node(i + di, j + dj); };
  const int cell = grid.cell(i, j);
  mesh.cell_nodes.insert(mesh.cell_nodes.end(), {node(0, 0), node(1, 0), node(1, 1), node(0, 1)});
  if (j == 0 && i < grid.i_cells) {
    add_edge(mesh, node(0, 0), node(1, 0), grid.cell(grid.width() - 1 - i, 0), cell);
  }
  if (j < grid.j_cells - 1) add_edge(mesh, node(0, 1), node(1, 1), cell, grid.cell(i, j + 1));
  if (i < grid.width() - 1) add_edge(mesh, node(1, 0), node(1, 1), grid.cell(i + 1, j), cell);
}

void add_boundary(Mesh& mesh, const CGrid& grid) {
  const int right = grid.width(), top = grid.j_cells;
  for (int i = grid.i_cells; i < 2 * grid.i_cells; ++i) {
    add_bedge(mesh, grid.node(i + 1, 0), grid.node(i, 0), grid.cell(i, 0), wall);
  }
  for (int j = 0; j < top; ++j) {
    add_bedge(mesh, grid.node(right, j + 1), grid.node(right, j), grid.cell(right - 1, j),
              far_field);
  }
  for (int i = right - 1; i >= 0; --i) {
    add_bedge(mesh, grid.node(i, top), grid.node(i + 1, top), grid.cell(i, top - 1), far_field);
  }
  for (int j = top - 1; j >= 0; --j) {
    add_bedge(mesh, grid.node(0, j), grid.node(0, j + 1), grid.cell(0, j), far_field);
  }
}

}  // namespace

double rounded_to_six_decimals(double value) {
  constexpr double scale = 1e6;
  const double scaled = value * scale;
  const double error = std::fma(value, scale, -scaled);  // value * scale = scaled + error, exactly
  double whole = std::nearbyint(scaled);
  const bool looks_like_a_tie = std::fabs(scaled - whole) == 0.5;
  if (looks_like_a_tie && error != 0) whole = scaled + std::copysign(0.5, error);
  return std::copysign(whole / scale, value);
}

Mesh make_c_grid(int i_cells, int j_cells) {
  // An edge has two entries in its map, and there are about six edges for each unit of I x J.
  const double entries = 12.0 * i_cells * j_cells;
  if (i_cells < 2 || j_cells < 2 || entries > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(
        "a C-grid of size " + std::to_string(i_cells) + " x " + std::to_string(j_cells) +
        " is impossible: both sizes must be at least 2, their product below 1.7e8");
  }
  const CGrid grid{i_cells, j_cells};
  const std::size_t cells = std::size_t{3} * i_cells * j_cells;
  Mesh mesh;
  mesh.x = coordinates_of(grid);
  mesh.cell_nodes.reserve(4 * cells);
  mesh.edge_nodes.reserve(4 * cells);
  mesh.edge_cells.reserve(4 * cells);
  for (int j = 0; j < j_cells; ++j) {
    for (int i = 0; i < grid.width(); ++i) add_cell_and_edges(mesh, grid, i, j);
  }
  add_boundary(mesh, grid);
  return mesh;
}

}  // namespace airfoil
