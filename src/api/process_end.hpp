// SPDX-License-Identifier: BSD-3-Clause
// What happens when the program, a thread, or MPI ends without op_exit. The library watches the end
// of the process from when it is loaded.
#pragma once

namespace op2::api {

/// To be called during MPI_Finalize, through which nothing can be thrown: a rank that ends MPI
/// while others still wait for it ends the job. Returns when all ranks end MPI, too.
void report_early_finalize();

/// From now on the end of this thread waits for the threads that load or make code.
void watch_thread();

}  // namespace op2::api
