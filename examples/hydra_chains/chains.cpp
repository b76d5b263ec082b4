// SPDX-License-Identifier: BSD-3-Clause
#include "chains.hpp"

#include <span>

#include "kernels.hpp"

namespace hydra_chains {

namespace {

using Args = std::vector<op_arg>;

/// Both nodes of an edge or a pair.
Args both(op_dat dat, op_map map, op_access access) {
  return {op_arg_dat(dat, 0, map, access), op_arg_dat(dat, 1, map, access)};
}

Args joined(std::initializer_list<Args> parts) {
  Args all;
  for (const Args& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The values of all these dats, direct.
Args own(std::initializer_list<op_dat> dats, op_access access) {
  Args all;
  for (const op_dat dat : dats) all.push_back(op_arg_dat(dat, access));
  return all;
}

/// Arguments through the map of edges.
Args at_edge(const Solver& s, op_dat dat, op_access access) {
  return both(dat, s.edge_nodes, access);
}

/// A loop over pairs that gives both nodes of each the same values.
Args at_pair(const Solver& s, std::initializer_list<op_dat> dats) {
  Args all;
  for (const op_dat dat : dats) all = joined({all, both(dat, s.pair_nodes, OP_RW)});
  return all;
}

Chain weight(const Solver& s, Variant variant) {
  const bool published = variant == Variant::as_published;
  return {
      "weight",
      {{start_weights, "start_weights", s.nodes,
        joined({own({s.x}, OP_READ), own({s.qo}, OP_RW)})}},
      {{sumbwts,
        "sumbwts",
        s.bnd,
        {op_arg_dat(s.kind, OP_READ), op_arg_dat(s.qo, 0, s.wall_node, OP_INC)}},
       {periodsym, "periodsym", s.pedges, joined({own({s.weight}, OP_READ), at_pair(s, {s.qo})})},
       {centreline, "centreline", s.cbnd, {op_arg_dat(s.qo, 0, s.axis_node, OP_WRITE)}},
       {published ? op_kernel(edglength_published) : op_kernel(edglength), "edglength", s.edges,
        joined({at_edge(s, s.xp, OP_READ), at_edge(s, s.qo, published ? OP_RW : OP_INC)})},
       {periodicity, "periodicity", s.pedges,
        joined({own({s.weight}, OP_READ), at_pair(s, {s.qo})})}},
      true};
}

/// The values of q9 are new, but copies of them are valid: other loops have read them.
std::vector<Loop> before_period(const Solver& s) {
  return {
      {relax_volume, "relax_volume", s.nodes, joined({own({s.x}, OP_READ), own({s.vol}, OP_RW)})},
      {start_limits, "start_limits", s.nodes, joined({own({s.x}, OP_READ), own({s.q9}, OP_WRITE)})},
      {spread_limits, "spread_limits", s.edges,
       joined({at_edge(s, s.q9, OP_READ), at_edge(s, s.res, OP_INC)})},
      {spread_sums, "spread_sums", s.edges,
       joined({at_edge(s, s.res, OP_READ), at_edge(s, s.vres, OP_INC)})}};
}

Chain period(const Solver& s, Variant variant) {
  const bool published = variant == Variant::as_published;
  const Loop flag{negflag, "negflag", s.pedges, at_pair(s, {s.vol})};
  const Loop limit{
      published ? op_kernel(limxp_published) : op_kernel(limxp), "limxp", s.edges,
      joined({at_edge(s, s.vol, OP_READ), at_edge(s, s.q9, published ? OP_RW : OP_INC)})};
  const Loop equal{periodicity_of_limits, "periodicity_of_limits", s.pedges,
                   joined({own({s.weight}, OP_READ), at_pair(s, {s.q9})})};
  return {"period", before_period(s), {flag, limit, equal, limit, equal, flag}, true};
}

Chain gradl(const Solver& s) {
  return {"gradl",
          {{relax_gradients, "relax_gradients", s.nodes,
            joined({own({s.x}, OP_READ), own({s.q, s.qp, s.ql}, OP_RW)})}},
          {{edgecon, "edgecon", s.edges,
            joined({own({s.area}, OP_READ), at_edge(s, s.q, OP_READ), at_edge(s, s.qp, OP_INC),
                    at_edge(s, s.ql, OP_INC)})},
           {gradl_period, "gradl_period", s.pedges,
            joined({own({s.weight}, OP_READ), at_pair(s, {s.qp, s.ql})})}},
          false};
}

Chain vflux(const Solver& s) {
  return {"vflux",
          {{relax_state, "relax_state", s.nodes,
            joined({own({s.x}, OP_READ), own({s.qp, s.xp, s.ql, s.qmu, s.qrg}, OP_RW)})}},
          {{initres, "initres", s.nodes, own({s.res}, OP_WRITE)},
           {vflux_edge, "vflux_edge", s.edges,
            joined({own({s.area}, OP_READ), at_edge(s, s.qp, OP_READ), at_edge(s, s.xp, OP_READ),
                    at_edge(s, s.ql, OP_READ), at_edge(s, s.qmu, OP_READ),
                    at_edge(s, s.qrg, OP_READ), at_edge(s, s.res, OP_INC)})}},
          false};
}

Chain iflux(const Solver& s) {
  return {
      "iflux",
      {{relax_reference, "relax_reference", s.nodes,
        joined({own({s.x}, OP_READ), own({s.qrg}, OP_RW)})}},
      {{initviscres, "initviscres", s.nodes, own({s.vres}, OP_WRITE)},
       {iflux_edge, "iflux_edge", s.edges,
        joined({own({s.area}, OP_READ), at_edge(s, s.qrg, OP_READ), at_edge(s, s.vres, OP_INC)})}},
      false};
}

Chain jacob(const Solver& s) {
  return {
      "jacob",
      {{relax_jacobian, "relax_jacobian", s.nodes,
        joined({own({s.x}, OP_READ), own({s.jac, s.jaca}, OP_RW)})}},
      {{jac_period, "jac_period", s.pedges,
        joined({own({s.weight}, OP_READ), at_pair(s, {s.jac, s.jaca})})},
       {jac_centreline, "jac_centreline", s.cbnd, {op_arg_dat(s.jac, 0, s.axis_node, OP_WRITE)}},
       {jac_corrections,
        "jac_corrections",
        s.bnd,
        {op_arg_dat(s.kind, OP_READ), op_arg_dat(s.jac, 0, s.wall_node, OP_RW)}}},
      false};
}

}  // namespace

std::vector<Chain> chains_of(const Solver& s, Variant variant) {
  return {weight(s, variant), period(s, variant), gradl(s), vflux(s), iflux(s), jacob(s)};
}

Loop step_of(const Solver& s) {
  return {step, "step", s.nodes,
          joined({own({s.res, s.vres}, OP_READ), own({s.q}, OP_RW), {op_arg_gbl(s.norm, OP_INC)}})};
}

void run(const std::vector<Loop>& loops) {
  for (const Loop& loop : loops)
    op_par_loop(loop.kernel, loop.name, loop.set, std::span<const op_arg>(loop.args));
  op_flush();
}

}  // namespace hydra_chains
