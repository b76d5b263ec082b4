// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/xdmf_series.hpp>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <comm/files/cell_shape.hpp>
#include <comm/files/series_file.hpp>
#include <comm/files/xml_text.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

constexpr const char* xdmf_suffix = ".xdmf";

constexpr SeriesFrame xdmf_frame{
    "<?xml version=\"1.0\"?>\n"
    "<Xdmf Version=\"3.0\">\n"
    "<Domain>\n"
    "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
    "</Grid>\n</Domain>\n</Xdmf>\n"};
constexpr std::string_view before_xdmf_time = "<Grid GridType=\"Uniform\">\n<Time Value=\"",
                           end_of_time = "</Grid>\n";

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

/// Takes a grid from the text; nothing if it is not one.
std::optional<XdmfTime> take_xdmf_time(std::string_view& text) {
  const std::size_t length = text.find(end_of_time);
  if (!text.starts_with(before_xdmf_time) || length == std::string_view::npos) return {};
  XdmfTime one{0, std::string(text.substr(0, length + end_of_time.size()))};
  const char* const first = text.data() + before_xdmf_time.size();
  if (std::from_chars(first, text.data() + length, one.time).ec != std::errc()) return {};
  text.remove_prefix(one.text.size());
  return one;
}

}  // namespace

XdmfTime xdmf_time(double time, const XdmfGrid& grid) {
  check_points(grid.name_of_points, grid.points.type, grid.points.dim, xdmf_suffix);
  const int arity = grid.cells.dim;
  std::string text = fmt::format(
      "{}{}\"/>\n<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"{}>\n{}</Topology>\n",
      before_xdmf_time, time, cell_shape(arity, grid.points.dim, xdmf_suffix).topology, grid.cells.rows,
      arity == 2 ? " NodesPerElement=\"2\"" : "", item_of(grid.file, grid.cells));
  text += fmt::format("<Geometry GeometryType=\"{}\">\n{}</Geometry>\n",
                      grid.points.dim == 2 ? "XY" : "XYZ", item_of(grid.file, grid.points));
  for (const XdmfField& field : grid.fields) text += attribute_of(grid.file, field);
  return {time, text + std::string(end_of_time)};
}

std::vector<XdmfTime> read_xdmf(const std::string& path) {
  return read_times<XdmfTime>(path, xdmf_frame, take_xdmf_time);
}

void write_xdmf(const std::string& path, std::span<const XdmfTime> times) {
  std::string grids;
  for (const XdmfTime& one : times) grids += one.text;
  write_parts(path, xdmf_frame, grids);
}

}  // namespace op2::comm
