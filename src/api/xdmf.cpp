// SPDX-License-Identifier: BSD-3-Clause
#include <api/xdmf.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <api/earlier_times.hpp>
#include <comm/files/hdf5_file.hpp>
#include <comm/files/xdmf_series.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>

namespace op2::api {
namespace {

using comm::XdmfData;
using comm::XdmfField;

XdmfField field_of(const core::Dat& dat, bool on_cells) {
  return {dat.name_storage,
          on_cells,
          {(on_cells ? "cell_values/" : "point_values/") + dat.name_storage, dat.value_type,
           dat.dim, dat.on().global_size}};
}

/// @throws Error bad_name (two dats of one name), bad_type (opaque rows)
comm::XdmfGrid description_of(const GridArguments& grid, const std::string& file) {
  const core::Set& cells = *core::record_of(grid.cells.from);
  comm::XdmfGrid xdmf{
      file,
      {"grid/cells", Type::i32, grid.cells.dim, cells.global_size},
      {"grid/points", grid.points.value_type, grid.points.dim, grid.points.on().global_size},
      grid.points.name_storage,
      {}};
  std::vector<std::string> datasets;
  for (const bool on_cells : {true, false})
    for (const core::Dat* dat : on_cells ? grid.on_cells : grid.on_points) {
      const XdmfField& field = xdmf.fields.emplace_back(field_of(*dat, on_cells));
      if (dat->opaque)
        core::fail(ErrorCode::bad_type,
                   "the rows are opaque: op_write_series, dat '{}', whose values have another size "
                   "than \"{}\"; leave it out",
                   dat->name_storage, dat->type);
      if (std::ranges::find(datasets, field.data.dataset) != datasets.end())
        core::fail(ErrorCode::bad_name,
                   "two fields of one name: op_write_series, dat '{}'; give one another name",
                   dat->name_storage);
      datasets.push_back(field.data.dataset);
    }
  return xdmf;
}

/// Collective.
void write_dat(Runtime& runtime, comm::Hdf5File& file, const std::string& dataset,
               const core::Dat& dat) {
  comm::Bytes storage;
  const auto rows = runtime.collectively([&] { return runtime.rows.declared_rows(dat, storage); });
  file.write_rows({dataset, runtime.rows.declared_blocks(dat.on()), dat.value_type, dat.dim},
                  rows.data());
}

/// The file of one time. Collective.
void write_values(Runtime& runtime, const std::string& path, const GridArguments& grid,
                  const comm::XdmfGrid& xdmf) {
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  comm::Hdf5File file(runtime.ranks(), path, comm::Hdf5File::Access::create);
  const comm::Bytes entries =
      runtime.collectively([&] { return runtime.rows.declared_entries(grid.cells); });
  const comm::Blocks& blocks = runtime.rows.declared_blocks(*core::record_of(grid.cells.from));
  file.write_rows({xdmf.cells.dataset, blocks, Type::i32, grid.cells.dim}, entries.data());
  write_dat(runtime, file, xdmf.points.dataset, grid.points);
  auto field = xdmf.fields.begin();
  for (const auto* dats : {&grid.on_cells, &grid.on_points})
    for (const core::Dat* dat : *dats) write_dat(runtime, file, field++->data.dataset, *dat);
  file.publish();
}

}  // namespace

bool is_xdmf(const std::string& series) {
  const auto ending = std::filesystem::path(series).extension();
  return ending == ".xdmf" || ending == ".xmf";
}

void write_xdmf_series(Runtime& runtime, const std::string& series, double time,
                       const GridArguments& grid) {
  std::vector<comm::XdmfTime> times;
  const auto [number, others_follow] =
      earlier_times(runtime, series, time, times, [&] { return comm::read_xdmf(series); });
  const std::filesystem::path path = series;
  const std::string name = fmt::format("{}_{:04}.h5", path.stem().string(), number);
  const comm::XdmfGrid xdmf = description_of(grid, name);
  const comm::XdmfTime added = comm::xdmf_time(time, xdmf);
  if (others_follow) shorten_series(runtime, series, [&] { comm::write_xdmf(series, times); });
  times.push_back(added);
  write_values(runtime, (path.parent_path() / name).string(), grid, xdmf);
  runtime.enter("op_write_series '{}', end", series);
  runtime.check_together([&] {
    if (runtime.ranks().is_root()) comm::write_xdmf(series, times);
  });
}

}  // namespace op2::api
