# SPDX-License-Identifier: BSD-3-Clause
# Proof that the tests of the canonical order and of colours find what depends on ranks.

# op2_add_order_mutant(name text replacement): `text` occurs in canonical_order.cpp.
function(op2_add_order_mutant name text replacement)
  op2_add_file_mutant(${name} comm/order/canonical_order.cpp "${text}" "${replacement}" op2_order_checks CanonicalPlaces.*)
endfunction()

op2_add_order_mutant(roots_of_ranks "ranks_.maximum(mine, \"the farthest element\")" "mine")
op2_add_order_mutant(ties_in_any_order "auto operator<=>(const Item&) const = default;"
  "auto operator<=>(const Item& other) const { return key <=> other.key; }
  bool operator==(const Item& other) const { return key == other.key; }")
op2_add_order_mutant(boxes_of_ranks "reduce_values(ranks, bounds);" "(void)ranks, (void)bounds;")
op2_add_file_mutant(colours_by_local_index comm/partition/colours.cpp "core::splitmix64(elements_[element])"
  "core::splitmix64(element)" op2_colours_checks Colours.*)
