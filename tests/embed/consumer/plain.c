/* SPDX-License-Identifier: BSD-3-Clause */
int from_c(void) { return 0; }
