// SPDX-License-Identifier: BSD-3-Clause
// A driver with fewer functions than the library needs.
extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDriverGetVersion(int* version) {
  *version = 10020;
  return 0;
}
}
