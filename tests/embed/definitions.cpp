// SPDX-License-Identifier: BSD-3-Clause
// Definitions of what the samples only declare.
double gamma_minus_one = 0.4;
int table[2][3] = {{1, 2, 3}, {4, 5, 6}};

double elsewhere(double x) {
  return x;
}
void kernel_elsewhere(double* x) {
  x[0] = 0;
}
