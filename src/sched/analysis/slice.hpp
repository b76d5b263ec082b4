// SPDX-License-Identifier: BSD-3-Clause
// The pass that replaces levels by exact rows in chains where levels bring in much more than is
// needed: rows that are near the border by one map, although only another one leads further. It
// walks back through the chain as the analysis does, with sets of rows instead of levels.
#pragma once

#include <optional>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/queue.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// A chain without loops in colours is sliced if that saves, on all ranks together, a tenth of the
/// bytes that it receives or of its redundant iterations. Then each rank runs the iterations and
/// receives the rows that it needs, and no others; of what the chain modifies, only owned rows
/// count as valid afterwards. Collective; the result is uniform, except the rows. Cost: for each
/// chain a pass over the maps that it uses, a reduction, and an exchange between neighbours if it
/// is sliced.
/// @param valid      validity of each dat of the mesh before the queue, by its index
/// @param rewritten  of each dat of the mesh, or empty, all: it is modified between two executions
///                   of the sequence, or in them. The others are exchanged as levels, because their
///                   halos stay valid
/// @param rows       has the levels that the chains need
Analysis slice(const core::Queue& queue, const std::vector<RecordRange>& cut,
               const std::vector<core::Level>& valid, const AnalysisOptions& options,
               const std::vector<char>& rewritten, comm::DistributedMesh& rows);

/// Whether any rows of levels are left out.
bool has_slices(const Analysis& analysis);

}  // namespace op2::sched
