// SPDX-License-Identifier: BSD-3-Clause
// Types, access modes and functions under OP2's names, for programs written for OP2's own headers.
// These rely on what OP2's header includes; so does this one.
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include <cstddef>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "op2_functions.h"

typedef unsigned int uint;
typedef long long ll;
typedef unsigned long long ull;
typedef long long idx_g_t;
typedef int idx_l_t;
typedef int op_access;
typedef int op_arg_type;
typedef op2::compat::arg op_arg;

#define OP_READ 0
#define OP_WRITE 1
#define OP_RW 2
#define OP_INC 3
#define OP_MIN 4
#define OP_MAX 5
#define OP_WORK 6

#define OP_ARG_GBL 0
#define OP_ARG_DAT 1
#define OP_ARG_IDX 2
#define OP_ARG_INFO 3

#define OP_ID (op_map) NULL
#define OP_GBL (op_map) NULL

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

using op2::compat::deviceSync;
using op2::compat::op_arg_dat;
using op2::compat::op_arg_gbl_char;
using op2::compat::op_arg_idx;
using op2::compat::op_arg_info_char;
using op2::compat::op_calloc;
using op2::compat::op_decl_dat_char;
using op2::compat::op_decl_dat_temp_char;
using op2::compat::op_decl_map;
using op2::compat::op_decl_map_long;
using op2::compat::op_decl_set;
using op2::compat::op_diagnostic_output;
using op2::compat::op_download_dat;
using op2::compat::op_exit;
using op2::compat::op_fetch_data_char;
using op2::compat::op_free;
using op2::compat::op_free_dat_temp_char;
using op2::compat::op_get_size;
using op2::compat::op_halo_create;
using op2::compat::op_halo_destroy;
using op2::compat::op_init;
using op2::compat::op_init_soa;
using op2::compat::op_is_root;
using op2::compat::op_malloc;
using op2::compat::op_mpi_init;
using op2::compat::op_mpi_init_soa;
using op2::compat::op_opt_arg_dat;
using op2::compat::op_opt_arg_gbl_char;
using op2::compat::op_partition;
using op2::compat::op_print;
using op2::compat::op_print_dat_to_binfile;
using op2::compat::op_print_dat_to_txtfile;
using op2::compat::op_printf;
using op2::compat::op_rank;
using op2::compat::op_realloc;
using op2::compat::op_renumber;
using op2::compat::op_size_of_set;
using op2::compat::op_timers;
using op2::compat::op_timers_core;
using op2::compat::op_timing_output;
using op2::compat::op_timing_realloc;
using op2::compat::op_timings_to_csv;
using op2::compat::op_upload_all;
using op2::compat::op_upload_dat;
