// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/paraview.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

constexpr const char *vtu_suffix = ".vtu", *xdmf_suffix = ".xdmf";

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

/// A linear cell.
struct CellShape {
  std::uint8_t vtk_type;  ///< a number of VTK's vtkCellType.h; 0: no such cell
  const char* topology;   ///< in XDMF
};

/// Of a cell with `arity` nodes in `dim` dimensions: 2 nodes are a line, 3 a triangle, 4 a
/// quadrilateral (2D) or tetrahedron (3D), 5 a pyramid, 6 a wedge, 8 a hexahedron.
/// @param kind  of the file, for the message: ".vtu"
/// @throws Error bad_dim: no such cell
CellShape cell_shape(int arity, int dim, const char* kind) {
  constexpr CellShape none{0, nullptr};
  constexpr std::array<CellShape, 9> shapes{none,
                                            none,
                                            CellShape{3, "Polyline"},
                                            {5, "Triangle"},
                                            {10, "Tetrahedron"},
                                            {14, "Pyramid"},
                                            {13, "Wedge"},
                                            none,
                                            {12, "Hexahedron"}};
  if (arity == 4 && dim == 2) return {9, "Quadrilateral"};
  const CellShape shape = arity < 0 || arity >= std::ssize(shapes) ? none : shapes[arity];
  if (shape.topology == nullptr)
    core::fail(ErrorCode::bad_dim,
               "no such cell in a {}: map of the cells, arity {}; use cells of 2, 3, 4, 5, 6 or 8 "
               "nodes",
               kind, arity);
  return shape;
}

/// Throws unless a file can have these coordinates.
/// @throws Error bad_type (neither f64 nor f32), bad_dim (neither 2 nor 3)
void check_points(std::string_view name, Type type, int dim, const char* kind) {
  if (type != Type::f64 && type != Type::f32)
    core::fail(ErrorCode::bad_type,
               "wrong type: coordinates '{}' of a {}, \"{}\"; use double or float", name, kind,
               core::name_of(type));
  if (dim != 2 && dim != 3)
    core::fail(ErrorCode::bad_dim, "wrong dim: coordinates '{}' of a {}, dim {}; use 2 or 3", name,
               kind, dim);
}

/// A data array of the file: its description in the header, and how its bytes are written.
struct DataArray {
  std::string name;
  const char* type;
  int components;
  std::uint64_t bytes;
  std::function<void(FileWriter&)> write;
};

const char* vtk_name_of(Type type) {
  constexpr std::array names{"Float64", "Float32", "Int32", "UInt32", "Int64", "UInt64", "UInt8"};
  return names[static_cast<std::size_t>(type)];  // in the order of Type
}

/// Writes value(0) ... value(count - 1) through a buffer of bounded size.
template <class Value>
void write_generated(FileWriter& file, std::int64_t count, Value value) {
  std::vector<std::invoke_result_t<Value, std::int64_t>> block;
  constexpr std::size_t block_size = 1 << 16;
  block.reserve(block_size);
  for (std::int64_t i = 0; i < count; ++i) {
    block.push_back(value(i));
    if (block.size() < block_size && i + 1 < count) continue;
    file.write(block.data(), block.size() * sizeof block[0]);
    block.clear();
  }
}

DataArray array_of(const Field& field) {
  return {std::string(field.name), vtk_name_of(field.type), field.dim, field.bytes(),
          [field](FileWriter& file) { file.write(field.values, field.bytes()); }};
}

template <class Real>
DataArray padded_points(const Field& points) {
  const auto* x = static_cast<const Real*>(points.values);
  const std::int64_t values = 3 * points.count;
  return {"Points", vtk_name_of(points.type), 3, values * sizeof(Real),
          [x, values](FileWriter& file) {
            write_generated(file, values, [x](std::int64_t i) {
              return i % 3 == 2 ? Real(0) : x[2 * (i / 3) + i % 3];
            });
          }};
}

DataArray points_array(const Field& points) {
  check_points(points.name, points.type, points.dim, vtu_suffix);
  if (points.dim == 3) {
    DataArray array = array_of(points);
    array.name = "Points";
    return array;
  }
  return points.type == Type::f64 ? padded_points<double>(points) : padded_points<float>(points);
}

std::vector<DataArray> cell_arrays(const VtuGrid& grid, std::int64_t cells) {
  const std::int64_t arity = grid.cell_arity;
  const std::uint8_t type = cell_shape(grid.cell_arity, grid.points.dim, vtu_suffix).vtk_type;
  const auto nodes = grid.cell_nodes;
  return {{"connectivity", "Int32", 1, nodes.size_bytes(),
           [nodes](FileWriter& file) { file.write(nodes.data(), nodes.size_bytes()); }},
          {"offsets", "Int64", 1, cells * sizeof(std::int64_t),
           [=](FileWriter& file) {
             write_generated(file, cells,
                             [arity](std::int64_t cell) { return (cell + 1) * arity; });
           }},
          {"types", "UInt8", 1, static_cast<std::uint64_t>(cells), [=](FileWriter& file) {
             write_generated(file, cells, [type](std::int64_t) { return type; });
           }}};
}

std::vector<DataArray> field_arrays(std::span<const Field> fields, std::int64_t rows,
                                    const char* place) {
  std::vector<DataArray> arrays;
  for (const Field& field : fields) {
    if (field.count != rows) {
      core::fail(ErrorCode::bad_size,
                 "wrong number of rows: field '{}' of a .vtu, {} rows, but the grid has {} {}; "
                 "give one row for each of these",
                 field.name, field.count, rows, place);
    }
    arrays.push_back(array_of(field));
  }
  return arrays;
}

struct Section {
  const char* tag;
  std::vector<DataArray> arrays;
};

std::string first_lines(const char* grid_type) {
  static_assert(std::endian::native == std::endian::little);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      grid_type);
}

/// Name and type of an array as attributes of its element.
std::string attributes_of(const DataArray& array) {
  return fmt::format("type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", array.type,
                     xml_escaped(array.name), array.components);
}

std::string header_of(std::span<const Section> sections, std::int64_t points, std::int64_t cells) {
  std::string text = first_lines("UnstructuredGrid");
  text += fmt::format("<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                      points, cells);
  std::uint64_t offset = 0;
  for (const Section& section : sections) {
    text += fmt::format("<{}>\n", section.tag);
    for (const DataArray& array : section.arrays) {
      text += fmt::format("<DataArray {} format=\"appended\" offset=\"{}\"/>\n",
                          attributes_of(array), offset);
      offset += sizeof(std::uint64_t) + array.bytes;
    }
    text += fmt::format("</{}>\n", section.tag);
  }
  return text + "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
}

std::int64_t cells_of(const VtuGrid& grid) {
  cell_shape(grid.cell_arity, grid.points.dim, vtu_suffix);
  return static_cast<std::int64_t>(grid.cell_nodes.size()) / grid.cell_arity;
}

/// The sections of a grid, in the order of the file.
std::array<Section, 4> sections_of(const VtuGrid& grid) {
  const std::int64_t cells = cells_of(grid);
  return {{{"PointData", field_arrays(grid.point_fields, grid.points.count, "points")},
           {"CellData", field_arrays(grid.cell_fields, cells, "cells")},
           {"Points", {points_array(grid.points)}},
           {"Cells", cell_arrays(grid, cells)}}};
}

/// The file of a time series: a beginning, a part for each time, an end.
struct SeriesForm {
  std::string_view begin, end;
  std::string_view before_time, after_part;  ///< how a part begins, and ends
};

constexpr SeriesForm pvd{
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "<Collection>\n",
    "</Collection>\n</VTKFile>\n", "<DataSet timestep=\"", "\"/>\n"};
constexpr SeriesForm xdmf{
    "<?xml version=\"1.0\"?>\n"
    "<Xdmf Version=\"3.0\">\n"
    "<Domain>\n"
    "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
    "</Grid>\n</Domain>\n</Xdmf>\n", "<Grid GridType=\"Uniform\">\n<Time Value=\"", "</Grid>\n"};

const SeriesForm& form_of(const std::string& path) {
  return is_xdmf(path) ? xdmf : pvd;
}

[[noreturn]] void refuse_series(const std::string& path) {
  core::fail(ErrorCode::io_failure,
             "not a time series that this library has written: '{}'; choose another path, or "
             "remove the file",
             path);
}

/// The part between beginning and end; nothing if there is no such file.
std::optional<std::string> read_parts(const std::string& path, const SeriesForm& form) {
  auto content = core::read_file(path.c_str());
  if (!content && errno == ENOENT) return {};
  if (!content)
    core::fail(ErrorCode::io_failure, "cannot read '{}': {}; check the path", path,
               core::why_unreadable(path.c_str()));
  if (content->size() < form.begin.size() + form.end.size() || !content->starts_with(form.begin) ||
      !content->ends_with(form.end))
    refuse_series(path);
  content->erase(content->size() - form.end.size());
  content->erase(0, form.begin.size());
  return content;
}

/// Takes a part from the text; nothing if it does not begin with one.
std::optional<SeriesTime> take_time(std::string_view& text, const SeriesForm& form) {
  const std::size_t length = text.find(form.after_part);
  if (!text.starts_with(form.before_time) || length == std::string_view::npos) return {};
  SeriesTime next{0, std::string(text.substr(0, length + form.after_part.size()))};
  const char* const first = text.data() + form.before_time.size();
  if (std::from_chars(first, text.data() + length, next.time).ec != std::errc()) return {};
  text.remove_prefix(next.text.size());
  return next;
}

const char* number_type_of(Type type) {
  constexpr std::array names{"Float", "Float", "Int", "UInt", "Int", "UInt", "UChar"};
  return names[static_cast<std::size_t>(type)];  // in the order of Type
}

/// A reference to a dataset.
/// @param shape  of a row, in the words of XDMF: "", " 3", " 1 5"
std::string item_of(const std::string& file, const XdmfData& data, const std::string& shape) {
  return fmt::format(
      "<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}{}\">{}:/{}"
      "</DataItem>\n",
      number_type_of(data.type), core::size_of(data.type, 1), data.rows, shape, xml_escaped(file),
      xml_escaped(data.dataset));
}

std::string item_of(const std::string& file, const XdmfData& data) {
  return item_of(file, data, fmt::format(" {}", data.dim));
}

/// Two values are a vector in a plane; more than three are a matrix with one row.
std::string attribute_of(const std::string& file, const XdmfField& field) {
  const int dim = field.data.dim;
  const char* const type = dim == 1 ? "Scalar" : dim <= 3 ? "Vector" : "Matrix";
  const std::string shape =
      dim == 1 ? "" : (dim <= 3 ? fmt::format(" {}", dim) : fmt::format(" 1 {}", dim));
  return fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">\n{}</Attribute>\n",
                     xml_escaped(field.name), type, field.on_cells ? "Cell" : "Node",
                     item_of(file, field.data, shape));
}

}  // namespace

void write_vtu(const std::string& path, const VtuGrid& grid, Leftovers leftovers) {
  const std::array<Section, 4> sections = sections_of(grid);
  FileWriter file(path, leftovers);
  file.write(header_of(sections, grid.points.count, cells_of(grid)));
  for (const Section& section : sections) {
    for (const DataArray& array : section.arrays) {
      file.write(&array.bytes, sizeof array.bytes);
      array.write(file);
    }
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.publish();
}

void check_grid(const VtuGrid& grid) {
  sections_of(grid);
}

std::string pvtu_text(const VtuGrid& grid, std::span<const std::string> pieces) {
  std::string text = first_lines("PUnstructuredGrid") + "<PUnstructuredGrid GhostLevel=\"0\">\n";
  for (const Section& section : sections_of(grid)) {
    if (std::string_view(section.tag) == "Cells") continue;
    text += fmt::format("<P{}>\n", section.tag);
    for (const DataArray& array : section.arrays)
      text += fmt::format("<PDataArray {}/>\n", attributes_of(array));
    text += fmt::format("</P{}>\n", section.tag);
  }
  for (const std::string& piece : pieces)
    text += fmt::format("<Piece Source=\"{}\"/>\n", xml_escaped(piece));
  return text + "</PUnstructuredGrid>\n</VTKFile>\n";
}

bool is_xdmf(const std::string& path) {
  const auto ending = std::filesystem::path(path).extension();
  return ending == ".xdmf" || ending == ".xmf";
}

SeriesTime pvd_time(double time, const std::string& file) {
  return {time, fmt::format("{}{}\" file=\"{}{}", pvd.before_time, time, xml_escaped(file),
                            pvd.after_part)};
}

SeriesTime xdmf_time(double time, const XdmfGrid& grid) {
  check_points(grid.name_of_points, grid.points.type, grid.points.dim, xdmf_suffix);
  const int arity = grid.cells.dim;
  std::string text = fmt::format(
      "{}{}\"/>\n<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"{}>\n{}</Topology>\n",
      xdmf.before_time, time, cell_shape(arity, grid.points.dim, xdmf_suffix).topology,
      grid.cells.rows, arity == 2 ? " NodesPerElement=\"2\"" : "", item_of(grid.file, grid.cells));
  text += fmt::format("<Geometry GeometryType=\"{}\">\n{}</Geometry>\n",
                      grid.points.dim == 2 ? "XY" : "XYZ", item_of(grid.file, grid.points));
  for (const XdmfField& field : grid.fields) text += attribute_of(grid.file, field);
  return {time, text + std::string(xdmf.after_part)};
}

std::vector<SeriesTime> read_series(const std::string& path) {
  const SeriesForm& form = form_of(path);
  const auto parts = read_parts(path, form);
  std::vector<SeriesTime> times;
  std::string_view text = parts ? std::string_view(*parts) : std::string_view();
  while (!text.empty()) {
    auto time = take_time(text, form);
    if (!time) refuse_series(path);
    times.push_back(std::move(*time));
  }
  return times;
}

void write_series(const std::string& path, std::span<const SeriesTime> times) {
  FileWriter file(path);
  file.write(form_of(path).begin);
  for (const SeriesTime& next : times) file.write(next.text);
  file.write(form_of(path).end);
  file.publish();
}

}  // namespace op2::comm
