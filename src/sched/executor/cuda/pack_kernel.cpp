// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/pack_kernel.hpp>

#include <jit/target/cuda/kernel_parameters.hpp>

namespace op2::sched {
namespace {

static_assert(jit::block_threads == 256);  // as the source has it
constexpr const char* source = R"(
struct op2_piece {
  char* rows;
  const int* list;
  long long first, offset, words, word_bytes;
};
struct alignas(16) op2_word16 {
  double low, high;
};

template <class Word>
__device__ void op2_move(char* row, char* packed, bool unpack) {
  if (unpack)
    *reinterpret_cast<Word*>(row) = *reinterpret_cast<const Word*>(packed);
  else
    *reinterpret_cast<Word*>(packed) = *reinterpret_cast<const Word*>(row);
}

// The piece that a word of the launch belongs to.
__device__ const op2_piece& op2_piece_of(const op2_piece* pieces, long long count, long long word) {
  long long low = 0, high = count - 1;
  while (low < high) {
    const long long middle = (low + high + 1) / 2;
    if (pieces[middle].first <= word)
      low = middle;
    else
      high = middle - 1;
  }
  return pieces[low];
}

extern "C" __global__ void __launch_bounds__(256)
    op2_loop_halo_rows(const op2_piece* op2_pieces, long long op2_count, long long op2_total,
             char* op2_buffer, long long op2_unpack) {
  const long long word = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (word >= op2_total) return;
  const op2_piece& piece = op2_piece_of(op2_pieces, op2_count, word);
  const long long k = (word - piece.first) / piece.words;
  const long long at = (word - piece.first) % piece.words * piece.word_bytes;
  const long long row_bytes = piece.words * piece.word_bytes;
  const long long row = piece.list != nullptr ? piece.list[k] : k;
  char* const in_dat = piece.rows + row * row_bytes + at;
  char* const in_message = op2_buffer + piece.offset + k * row_bytes + at;
  switch (piece.word_bytes) {
    case 16: op2_move<op2_word16>(in_dat, in_message, op2_unpack != 0); break;
    case 8: op2_move<double>(in_dat, in_message, op2_unpack != 0); break;
    case 4: op2_move<int>(in_dat, in_message, op2_unpack != 0); break;
    case 2: op2_move<short>(in_dat, in_message, op2_unpack != 0); break;
    default: op2_move<char>(in_dat, in_message, op2_unpack != 0); break;
  }
}
)";

constexpr op_kernel_core pack{.name = "op2_loop_halo_rows",
                              .source = source,
                              .file = __FILE__,
                              .line = 0,
                              .source_is_file = false,
                              .host = nullptr,
                              .call = nullptr,
                              .parameters = nullptr,
                              .parameter_count = -1};

}  // namespace

jit::LoopRequest pack_request() {
  jit::LoopRequest request;
  request.nest.calls.push_back({.name = pack.name, .source = pack.source});
  request.origins.push_back({.loop = pack.name,
                             .call_site = "of libop2",
                             .kernel = const_cast<op_kernel>(&pack),
                             .compare_access = false});
  return request;
}

}  // namespace op2::sched
