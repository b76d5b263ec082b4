// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/series.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <comm/files/file_writer.hpp>
#include <comm/files/paraview.hpp>
#include <core/error.hpp>
#include <core/text_file.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

/// The file of a time series: a beginning, one part for each time, an end.
struct SeriesFrame {
  std::string_view begin, end;
};

constexpr SeriesFrame pvd_frame{
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "<Collection>\n",
    "</Collection>\n</VTKFile>\n"};
constexpr SeriesFrame xdmf_frame{
    "<?xml version=\"1.0\"?>\n"
    "<Xdmf Version=\"3.0\">\n"
    "<Domain>\n"
    "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
    "</Grid>\n</Domain>\n</Xdmf>\n"};

[[noreturn]] void refuse_series(const std::string& path) {
  core::fail(ErrorCode::io_failure,
             "not a time series that this library has written: '{}'; choose another path, or "
             "remove the file",
             path);
}

/// The part between beginning and end; nothing if there is no such file.
std::optional<std::string> read_parts(const std::string& path, const SeriesFrame& frame) {
  auto content = core::read_file(path.c_str());
  if (!content && errno == ENOENT) return {};
  if (!content)
    core::fail(ErrorCode::io_failure, "cannot read '{}': {}; check the path", path,
               core::why_unreadable(path.c_str()));
  if (content->size() < frame.begin.size() + frame.end.size() ||
      !content->starts_with(frame.begin) || !content->ends_with(frame.end))
    refuse_series(path);
  content->erase(content->size() - frame.end.size());
  content->erase(0, frame.begin.size());
  return content;
}

/// @param take  takes a time from the text, or nothing if the text does not begin with one
template <class Time>
std::vector<Time> read_times(const std::string& path, const SeriesFrame& frame,
                             std::optional<Time> (*take)(std::string_view&)) {
  const auto parts = read_parts(path, frame);
  std::vector<Time> times;
  std::string_view text = parts ? std::string_view(*parts) : std::string_view();
  while (!text.empty()) {
    auto time = take(text);
    if (!time) refuse_series(path);
    times.push_back(std::move(*time));
  }
  return times;
}

void write_parts(const std::string& path, const SeriesFrame& frame, std::string_view parts) {
  FileWriter file(path);
  file.write(frame.begin);
  file.write(parts);
  file.write(frame.end);
  file.publish();
}

constexpr std::string_view before_time = "<DataSet timestep=\"", before_file = "\" file=\"",
                           after_file = "\"/>\n";

/// Removes what `text` begins with. @return whether it does
bool skip(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Takes a line from the text.
std::optional<TimeOfSeries> take_pvd_time(std::string_view& text) {
  TimeOfSeries next{};
  if (!skip(text, before_time)) return {};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), next.time);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (!skip(text, before_file)) return {};
  const std::size_t length = text.find(after_file);
  if (length == std::string_view::npos) return {};
  next.file = xml_unescaped(text.substr(0, length));
  text.remove_prefix(length + after_file.size());
  return next;
}

constexpr const char* xdmf_suffix = ".xdmf";

constexpr std::string_view before_grid = "<Grid GridType=\"Uniform\">\n<Time Value=\"",
                           after_grid = "</Grid>\n";

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
  const std::size_t length = text.find(after_grid);
  if (!text.starts_with(before_grid) || length == std::string_view::npos) return {};
  XdmfTime next{0, std::string(text.substr(0, length + after_grid.size()))};
  const char* const first = text.data() + before_grid.size();
  if (std::from_chars(first, text.data() + length, next.time).ec != std::errc()) return {};
  text.remove_prefix(next.text.size());
  return next;
}

}  // namespace

std::vector<TimeOfSeries> read_series(const std::string& path) {
  return read_times<TimeOfSeries>(path, pvd_frame, take_pvd_time);
}

void write_series(const std::string& path, const std::vector<TimeOfSeries>& times) {
  std::string lines;
  for (const TimeOfSeries& next : times)
    lines += fmt::format("{}{}{}{}{}", before_time, next.time, before_file, xml_escaped(next.file),
                         after_file);
  write_parts(path, pvd_frame, lines);
}

XdmfTime xdmf_time(double time, const XdmfGrid& grid) {
  check_points(grid.name_of_points, grid.points.type, grid.points.dim, xdmf_suffix);
  const int arity = grid.cells.dim;
  std::string text = fmt::format(
      "{}{}\"/>\n<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"{}>\n{}</Topology>\n",
      before_grid, time, cell_shape(arity, grid.points.dim, xdmf_suffix).topology, grid.cells.rows,
      arity == 2 ? " NodesPerElement=\"2\"" : "", item_of(grid.file, grid.cells));
  text += fmt::format("<Geometry GeometryType=\"{}\">\n{}</Geometry>\n",
                      grid.points.dim == 2 ? "XY" : "XYZ", item_of(grid.file, grid.points));
  for (const XdmfField& field : grid.fields) text += attribute_of(grid.file, field);
  return {time, text + std::string(after_grid)};
}

std::vector<XdmfTime> read_xdmf(const std::string& path) {
  return read_times<XdmfTime>(path, xdmf_frame, take_xdmf_time);
}

void write_xdmf(const std::string& path, std::span<const XdmfTime> times) {
  std::string grids;
  for (const XdmfTime& next : times) grids += next.text;
  write_parts(path, xdmf_frame, grids);
}

}  // namespace op2::comm
