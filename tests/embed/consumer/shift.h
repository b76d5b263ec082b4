/* SPDX-License-Identifier: BSD-3-Clause */
#define SHIFT 7
