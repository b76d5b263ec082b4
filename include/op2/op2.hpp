// SPDX-License-Identifier: BSD-3-Clause
// The complete public interface of libop2.
#pragma once

#include <op2/decl.hpp>
#include <op2/error.hpp>
#include <op2/hdf5.hpp>
#include <op2/io.hpp>
#include <op2/kernel.hpp>
#include <op2/par_loop.hpp>
#include <op2/region.hpp>
#include <op2/runtime.hpp>
#include <op2/types.hpp>
#include <op2/version.hpp>
