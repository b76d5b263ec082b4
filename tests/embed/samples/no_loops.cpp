// SPDX-License-Identifier: BSD-3-Clause
// A unit without loops: its wrapper only includes it.
int answer() {
  return 42;
}
