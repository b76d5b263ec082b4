// SPDX-License-Identifier: BSD-3-Clause
#include <compat/halo_lists.hpp>

#include <algorithm>
#include <numeric>

namespace op2::compat {
namespace {

void add_level(Halo& halo, const comm::HaloLevel& level) {
  const auto begin = [](HaloRows& rows, int rank, std::size_t size) {
    rows.ranks.push_back(rank);
    rows.disps.push_back(static_cast<int>(rows.list.size()));
    rows.sizes.push_back(static_cast<int>(size));
  };
  for (const comm::ExportList& sent : level.exports) {
    begin(halo.exported, sent.rank, sent.rows.size());
    halo.exported.list.insert(halo.exported.list.end(), sent.rows.begin(), sent.rows.end());
  }
  for (const comm::ImportRange& run : level.imports) {
    begin(halo.imported, run.rank, static_cast<std::size_t>(run.count));
    for (std::int32_t row = 0; row < run.count; ++row)
      halo.imported.list.push_back(run.begin + row);
  }
}

void add_set(SetLists& lists, const core::Set& set, comm::DistributedMesh& rows) {
  const auto count = static_cast<std::size_t>(set.size + set.exec_size + set.nonexec_size);
  lists.numbers.resize(count);
  if (set.global_indices.empty())
    std::iota(lists.numbers.begin(), lists.numbers.end(), wide_index{0});
  else
    std::copy_n(set.global_indices.begin(), count, lists.numbers.begin());
  lists.owners.assign(count, rows.communicator().rank());
  if (!set.layout->owner.empty())
    std::copy_n(set.layout->owner.begin(), count, lists.owners.begin());
  const auto& begin = rows.declared_blocks(set).begin;
  for (std::size_t rank = 0; rank + 1 < begin.size(); ++rank)
    lists.declared.insert(lists.declared.end(), {begin[rank], begin[rank + 1] - 1});
  if (!rows.has_halo_plan()) return;
  const auto& levels = rows.halo_plan().index_map(set).levels;
  if (levels.empty()) return;
  add_level(lists.exec, levels[0]);
  add_level(lists.nonexec, levels[1]);
}

void show(SetLists& lists, op_set set) {
  for (Halo* halo : {&lists.exec, &lists.nonexec})
    for (HaloRows* rows : {&halo->exported, &halo->imported})
      rows->shown = {set,
                     static_cast<int>(rows->list.size()),
                     rows->ranks.data(),
                     static_cast<int>(rows->ranks.size()),
                     rows->disps.data(),
                     rows->sizes.data(),
                     rows->list.data()};
  lists.part = {set, lists.numbers.data(), lists.owners.data(), 1};
}

/// Whether it is known who owns what.
bool has_owners(const core::Mesh& mesh, const comm::DistributedMesh& rows) {
  return rows.has_halo_plan() ||
         std::ranges::all_of(mesh.sets(), [](const auto& set) { return set->is_single_rank; });
}

}  // namespace

void HaloLists::show_all() {
  for (SetLists& lists : sets_) {
    parts_.push_back(&lists.part);
    declared_.push_back(lists.declared.data());
    export_exec_.push_back(&lists.exec.exported.shown);
    import_exec_.push_back(&lists.exec.imported.shown);
    export_nonexec_.push_back(&lists.nonexec.exported.shown);
    import_nonexec_.push_back(&lists.nonexec.imported.shown);
  }
  shown_ = {static_cast<int>(sets_.size()),
            parts_.data(),
            declared_.data(),
            export_exec_.data(),
            import_exec_.data(),
            export_nonexec_.data(),
            import_nonexec_.data()};
}

HaloLists::HaloLists(const core::Mesh& mesh, comm::DistributedMesh& rows)
    : arrangement_(rows.arrangement()) {
  if (!has_owners(mesh, rows)) return;
  sets_.resize(mesh.sets().size());
  for (const auto& set : mesh.sets()) {
    SetLists& lists = sets_[static_cast<std::size_t>(set->index)];
    add_set(lists, *set, rows);
    show(lists, set.get());
  }
  show_all();
}

bool HaloLists::are_of(const core::Mesh& mesh, const comm::DistributedMesh& rows) const {
  const auto is_of = [](const SetLists& lists, const auto& set) {
    return lists.part.set == set.get();
  };
  return arrangement_ == rows.arrangement() &&
         (has_owners(mesh, rows) ? std::ranges::equal(sets_, mesh.sets(), is_of) : sets_.empty());
}

}  // namespace op2::compat
