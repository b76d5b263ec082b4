// SPDX-License-Identifier: BSD-3-Clause
// One function for each type that programs share with the library, so that their layout is in the
// description of its interface. Compiled with debug information, never called.
#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include <op2/compat/op2_embedded.h>
#include <op2/compat/op2_records.h>

#define SHARED(name, type) \
  OP2_API void shared_##name(type*) {}

SHARED(set, op_set_core)
SHARED(map, op_map_core)
SHARED(dat, op_dat_core)
SHARED(global, op_global_core)
SHARED(kernel, op_kernel_core)
SHARED(arg, op_arg)
SHARED(loop_name, op_loop_name)
SHARED(access, op_access)
SHARED(arg_type, op_arg_type)
SHARED(checkpoint_times, op_checkpoint_times)
SHARED(jit_statistics, op_jit_statistics)
SHARED(chain_statistics, op_chain_statistics)
SHARED(loop_statistics, op_loop_statistics)
SHARED(halo_statistics, op_halo_statistics)
SHARED(region, op_region)
SHARED(error, op2::Error)
SHARED(error_code, op2::ErrorCode)
SHARED(value_type, op2::Type)
SHARED(parameter, op2::Parameter)
SHARED(host_function, op2::HostFunction<double*>)
SHARED(typed_kernel, op2::TypedKernel<double*>)
SHARED(given, op2::detail::Given)
SHARED(embedded_constant, op2::embedded::Constant)
SHARED(embedded_kernel, op2::embedded::Kernel)
SHARED(embedded_registration, op2::embedded::Registration)
SHARED(compat_arg, op2::compat::arg)
SHARED(compat_buffer, op2::compat::buffer)
SHARED(compat_function, op2::compat::function)
SHARED(compat_kernel_row, op2::compat::kernel_row)
SHARED(compat_dat_entry, op2::compat::dat_entry)
SHARED(compat_variables, op2::compat::variables)
SHARED(compat_halo_rows, op2::compat::halo_rows)
SHARED(compat_part_rows, op2::compat::part_rows)
SHARED(compat_halo_lists, op2::compat::halo_lists)
SHARED(compat_plan, op2::compat::plan)
SHARED(compat_address, op2::compat::address)
