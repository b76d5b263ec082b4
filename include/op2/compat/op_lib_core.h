// SPDX-License-Identifier: BSD-3-Clause
// Types, access modes and functions under OP2's names, for programs written for OP2's headers. It
// has the same includes as OP2's header, on which such programs rely.
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
#include "op2_stubs.h"

/// OP2's names of types, in type strings too; `idx_g_t` are global indices, `idx_l_t` local ones.
typedef unsigned int uint;
typedef long long ll;
typedef unsigned long long ull;
typedef long long idx_g_t;
typedef int idx_l_t;
typedef int op_access;
typedef int op_arg_type;

/// OP2's names of the structs of op2_records.h.
typedef op2::compat::arg op_arg;
typedef op2::compat::buffer op_buff_core;
typedef op2::compat::buffer* op_buff;
typedef op2::compat::kernel_row op_kernel;
typedef op2::compat::dat_entry op_dat_entry;
typedef op2::compat::dat_list Double_linked_list;
typedef op2::compat::plan op_plan;

/// How a loop accesses an argument: read, write, both, increment, minimum and maximum (globals
/// only). OP_WORK is for OP2's translators: an error here.
#define OP_READ 0
#define OP_WRITE 1
#define OP_RW 2
#define OP_INC 3
#define OP_MIN 4
#define OP_MAX 5
#define OP_WORK 6

/// The kind of an argument (`argtype`): global, dat, index, payload of a minimum or maximum.
#define OP_ARG_GBL 0
#define OP_ARG_DAT 1
#define OP_ARG_IDX 2
#define OP_ARG_INFO 3

/// Ways of staging in plans of translated programs; there are no such plans.
#define OP_STAGE_NONE 0
#define OP_STAGE_INC 1
#define OP_STAGE_ALL 2
#define OP_STAGE_PERMUTE 3
#define OP_COLOR2 4

/// In place of a map: direct access to a dat (OP_ID), or a global (OP_GBL).
#define OP_ID (op_map) NULL
#define OP_GBL (op_map) NULL

/// The smaller of two numbers; evaluates it twice.
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
/// The larger of two numbers; evaluates it twice.
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

/// Alignment of memory from op_malloc, in bytes.
#ifndef OP2_ALIGNMENT
#define OP2_ALIGNMENT 64
#endif

/// A number rounded up to a multiple of 16 (ROUND_UP), 64 or 32.
#define ROUND_UP(bytes) (((bytes) + 15) & ~15)
#define ROUND_UP_64(bytes) (((bytes) + 63) & ~63)
constexpr int round32(int number) {
  return (number + 31) / 32 * 32;
}

/// OP2's global variables, fields of `op2::compat::variables`. Each use gets the current value from
/// the library. They cannot be declared again: `extern int OP_diags;` after this header does not
/// compile.
#define OP_diags (op2::compat::values().diags)
#define OP_part_size (op2::compat::values().part_size)
#define OP_block_size (op2::compat::values().block_size)
#define OP_cache_line_size (op2::compat::values().cache_line_size)
#define OP_gpu_direct (op2::compat::values().gpu_direct)
#define OP_auto_soa (op2::compat::values().auto_soa)
#define OP_hybrid_balance (op2::compat::values().hybrid_balance)
#define OP_hybrid_gpu (op2::compat::values().hybrid_gpu)
#define OP_maps_base_index (op2::compat::values().maps_base_index)
#define OP_mpi_test_frequency (op2::compat::values().mpi_test_frequency)
#define OP_partial_exchange (op2::compat::values().partial_exchange)
#define OP_disable_mpi_reductions (op2::compat::values().disable_mpi_reductions)
#define OP_cuda_reductions_mib (op2::compat::values().cuda_reductions_mib)
#define OP_is_partitioned (op2::compat::values().is_partitioned)
#define OP_set_index (op2::compat::values().set_index)
#define OP_set_max (op2::compat::values().set_index)
#define OP_map_index (op2::compat::values().map_index)
#define OP_map_max (op2::compat::values().map_index)
#define OP_dat_index (op2::compat::values().dat_index)
#define OP_set_list (op2::compat::values().set_list)
#define OP_map_list (op2::compat::values().map_list)
#define OP_dat_list (op2::compat::values().dats)
#define OP_kernels (op2::compat::values().kernels)
#define OP_kern_max (op2::compat::values().kern_max)
#define OP_kern_curr (op2::compat::values().kern_curr)
#define OP_plan_time (op2::compat::values().plan_time)

using op2::compat::check_map;
using op2::compat::compare_sets;
using op2::compat::deviceSync;
using op2::compat::getSetSizeFromOpArg;
using op2::compat::op_arg_check;
using op2::compat::op_arg_dat;
using op2::compat::op_arg_gbl_char;
using op2::compat::op_arg_idx;
using op2::compat::op_arg_info_char;
using op2::compat::op_buff_download;
using op2::compat::op_buff_upload;
using op2::compat::op_calloc;
using op2::compat::op_check_fallback_mode;
using op2::compat::op_check_whitelist;
using op2::compat::op_compute_moment;
using op2::compat::op_compute_moment_across_times;
using op2::compat::op_create_buff;
using op2::compat::op_decl_const_char;
using op2::compat::op_decl_dat_char;
using op2::compat::op_decl_dat_overlay;
using op2::compat::op_decl_dat_overlay_ptr;
using op2::compat::op_decl_dat_temp_char;
using op2::compat::op_decl_map;
using op2::compat::op_decl_map_long;
using op2::compat::op_decl_set;
using op2::compat::op_diagnostic_output;
using op2::compat::op_disable_device_execution;
using op2::compat::op_disable_mpi_reductions;
using op2::compat::op_download_dat;
using op2::compat::op_dump_dat;
using op2::compat::op_exit;
using op2::compat::op_fetch_data_char;
using op2::compat::op_fetch_data_file_char;
using op2::compat::op_fetch_data_idx_char;
using op2::compat::op_free;
using op2::compat::op_free_buff;
using op2::compat::op_free_dat_temp_char;
using op2::compat::op_get_data_ptr;
using op2::compat::op_get_global_set_offset;
using op2::compat::op_get_map_ptr;
using op2::compat::op_get_size;
using op2::compat::op_get_size_local;
using op2::compat::op_get_size_local_core;
using op2::compat::op_get_size_local_exec;
using op2::compat::op_get_size_local_full;
using op2::compat::op_halo_create;
using op2::compat::op_halo_destroy;
using op2::compat::op_halo_permap_create;
using op2::compat::op_init;
using op2::compat::op_init_soa;
using op2::compat::op_is_partitioned;
using op2::compat::op_is_root;
using op2::compat::op_malloc;
using op2::compat::op_mpi_barrier;
using op2::compat::op_mpi_get_data;
using op2::compat::op_mpi_halo_exchanges;
using op2::compat::op_mpi_halo_exchanges_cuda;
using op2::compat::op_mpi_halo_exchanges_grouped;
using op2::compat::op_mpi_init;
using op2::compat::op_mpi_init_soa;
using op2::compat::op_mpi_perf_time;
using op2::compat::op_mpi_put_data;
using op2::compat::op_mpi_reduce_bool;
using op2::compat::op_mpi_reduce_combined;
using op2::compat::op_mpi_reduce_double;
using op2::compat::op_mpi_reduce_float;
using op2::compat::op_mpi_reduce_int;
using op2::compat::op_mpi_reset_halos;
using op2::compat::op_mpi_set_dirtybit;
using op2::compat::op_mpi_set_dirtybit_cuda;
using op2::compat::op_mpi_test_all;
using op2::compat::op_mpi_test_all_grouped;
using op2::compat::op_mpi_wait_all;
using op2::compat::op_mpi_wait_all_cuda;
using op2::compat::op_mpi_wait_all_grouped;
using op2::compat::op_opt_arg_dat;
using op2::compat::op_opt_arg_gbl_char;
using op2::compat::op_partition;
using op2::compat::op_partition_destroy;
using op2::compat::op_partition_reverse;
using op2::compat::op_plan_get;
using op2::compat::op_plan_get_stage;
using op2::compat::op_plan_get_stage_upload;
using op2::compat::op_print;
using op2::compat::op_print_dat_to_binfile;
using op2::compat::op_print_dat_to_txtfile;
using op2::compat::op_printf;
using op2::compat::op_rank;
using op2::compat::op_realloc;
using op2::compat::op_renumber;
using op2::compat::op_rt_exit;
using op2::compat::op_size_of_set;
using op2::compat::op_timers;
using op2::compat::op_timers_core;
using op2::compat::op_timing_output;
using op2::compat::op_timing_output_2_file;
using op2::compat::op_timing_realloc;
using op2::compat::op_timing_realloc_manytime;
using op2::compat::op_timings_to_csv;
using op2::compat::op_trigger_halo_exchanges;
using op2::compat::op_type_equivalence;
using op2::compat::op_upload_all;
using op2::compat::op_upload_dat;
using op2::compat::search_dat;
