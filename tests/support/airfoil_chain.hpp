// SPDX-License-Identifier: BSD-3-Clause
// The loops of Airfoil, without reductions.
#pragma once

#include <support/chain_builder.hpp>

namespace op2::test {

/// Maps of a mesh of edges, boundary edges, cells and nodes.
enum Maps { e2n, e2c, c2n, b2c, b2n };

namespace airfoil {

enum Dats { q, qold, adt, res, x, dats };

/// save_soln.
inline Chain save() {
  return chain_of(loop().read(q).write(qold));
}

/// adt_calc, res_calc, bres_calc and update.
inline Chain stage() {
  return chain_of(loop().read(x, c2n).read(q).write(adt),
                  loop().read(x, e2n).read(q, e2c).read(adt, e2c).inc(res, e2c),
                  loop().read(x, b2n).read(q, b2c).read(adt, b2c).inc(res, b2c),
                  loop().read(qold).write(q).rw(res).read(adt));
}

/// save and `stages` stages.
inline Chain step(int stages) {
  Chain chain = save();
  const Chain rest = repeat(stage(), stages);
  chain.insert(chain.end(), rest.begin(), rest.end());
  return chain;
}

}  // namespace airfoil
}  // namespace op2::test
