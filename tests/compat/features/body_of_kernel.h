// SPDX-License-Identifier: BSD-3-Clause
// Included inside functions.
for (int d = 0; d < 2; ++d) {
  out[d] = FACTOR * in[1 - d];
}
