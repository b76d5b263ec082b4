// SPDX-License-Identifier: BSD-3-Clause
// The hand-written loops of stream_bench, on elements [begin, end).
#pragma once

namespace bench {

void copy_hand_written(int begin, int end, const double* a, double* b);
void triad_hand_written(int begin, int end, const double* a, const double* b, double* c);
/// @param ends  shape [elements x 2]
void gather_hand_written(int begin, int end, const int* ends, const double* a, double* c);
/// Two kicks and two drifts: four loops, or one.
void oscillate_by_loops(int begin, int end, double* x, double* v);
void oscillate_fused(int begin, int end, double* x, double* v);

}  // namespace bench
