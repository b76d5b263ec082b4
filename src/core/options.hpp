// SPDX-License-Identifier: BSD-3-Clause
// The values of the run-time switches. The table in options.cpp reads them; --op2-help and
// docs/switches.md are generated from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace op2::core {

enum class Target { cpu, cuda, reference };
enum class JitMode { on, off, require };
enum class ChainMode { off, on, automatic };
enum class CacheMode { read_write, read_only, off };

/// Whether op_init starts MPI.
enum class MpiMode {
  automatic,  ///< if there may be several processes, or if the program has started it
  on,
  off  ///< nor uses it: each process works alone
};

/// How reductions go over the ranks.
enum class ReduceMode {
  automatic,  ///< by node, if there are several nodes and one with several ranks
  flat,       ///< as MPI combines all ranks
  by_node     ///< first on each node, then over the nodes
};

/// How many messages an exchange of halos takes.
enum class Grouping {
  grouped,  ///< one per neighbour
  separate  ///< one per neighbour, dat and level, as a library without grouping sends
};

/// What OP2_DUMP shows: names of passes, "source", "schedule", "partition".
using Dump = std::set<std::string_view>;

/// Whether elements are reordered for locality.
enum class RenumberMode {
  automatic,
  off,
  on,
  canonical  ///< into the order that the declared mesh decides (core::Mesh::ordering_set)
};

/// Whether compiled code is vectorised over elements.
enum class SimdMode { where_it_pays, wherever_possible, off };

/// Whether a * b + c may be rounded once, in the code of any target.
enum class Contraction {
  automatic,  ///< unless results have the same bits everywhere
  on,
  off
};

/// Which memory holds the halo messages of ranks on GPUs.
enum class GpuMessages {
  automatic,  ///< the device's, if MPI says that it takes them
  on_device,
  on_host  ///< pinned memory; a copy more on either side
};

/// How loops on a GPU add to rows through maps.
enum class Increments {
  automatic,  ///< the code generator chooses for each loop
  rows,       ///< each element adds to its rows, atomically
  pull        ///< each row gathers what elements add to it, where a loop allows that
};

/// Where chains use single rows of halos instead of layers.
enum class SliceMode {
  automatic,  ///< where OP2_CHAIN=auto expects a gain
  off,
  always  ///< in every chain that is a tenth smaller so
};

/// How loops are executed tile by tile.
enum class TileMode {
  modelled,  ///< where a model expects a gain
  fixed,     ///< everywhere, in tiles of `rows`
  shuffled,  ///< the same in a random order
  off
};
struct Tiling {
  TileMode mode = TileMode::modelled;
  std::int64_t rows = 0;  ///< 0: by the model
  bool operator==(const Tiling&) const = default;
};

/// All switches, read once by `op_init`.
struct Options {
  Target target = Target::cpu;
  int threads = 0;  ///< 0: one per core of the binding
  MpiMode mpi = MpiMode::automatic;
  JitMode jit = JitMode::on;
  std::string jit_cpu;
  std::int64_t jit_seconds = 60;  ///< of CPU time, for the compilation of a kernel
  std::int64_t jit_memory_bytes = std::int64_t{2048} << 20;
  std::string plugin_dir;
  std::string cuda_driver;  ///< file; empty: search
  std::string nvrtc;        ///< file or folder; empty: search
  Increments gpu_increments = Increments::automatic;
  GpuMessages gpu_messages = GpuMessages::automatic;
  CacheMode cache = CacheMode::read_write;
  std::string cache_dir;
  std::string shared_caches;  ///< folders; empty: those that the machine's list names
  std::int64_t cache_max_bytes = std::int64_t{1} << 30;
  RenumberMode renumber = RenumberMode::automatic;
  bool vector_math = false;
  Contraction contraction = Contraction::automatic;
  /// Results have the same bits however loops are executed.
  bool reproducible = false;
  Tiling tile;
  ChainMode chain = ChainMode::off;
  ReduceMode reduce = ReduceMode::automatic;
  int depth_max = 6;                ///< layers
  std::string partitioner;          ///< empty: as the call of op_partition says
  std::int64_t async_io_bytes = 0;  ///< of results that wait to be written; 0: none wait
  std::string log;                  ///< empty: from the diags argument of op_init
  Dump dump;
  std::string trace;
  std::string timing;
  std::string tools;
  std::string hash_file;
  std::string model_file;
  std::vector<std::string> ignored;  ///< switches that name files, given to a privileged program
  bool queue_loops = true;           ///< switched off by OP2_CHECK=pointers and finite
  bool check_access = false;         ///< OP2_CHECK=access
  bool check_bits = false;           ///< OP2_CHECK=bits
  bool check_finite = false;         ///< OP2_CHECK=finite
  bool check_pointers = false;       ///< OP2_CHECK=pointers
  SimdMode simd = SimdMode::where_it_pays;
  // For tests and comparisons, by OP2_DEBUG:
  Grouping exchange = Grouping::grouped;
  SliceMode slice = SliceMode::automatic;
  int queue_max = 64;               ///< loops
  int node_size = 0;                ///< ranks of a node of reductions; 0: those that share memory
  int schedules = 0;                ///< seed of random schedules for OP2_CHAIN=auto; 0: by costs
  int progress_interval_ms = 2000;  ///< what takes longer is shown (core/log.hpp)
  bool eliminate_dead_loops = true;
  bool fuse = true;
  bool gdb_symbols = false;  ///< compiled loops have names in gdb
  bool perf_map = false;     ///< and in perf
  bool operator==(const Options&) const = default;

  bool contracts() const {
    return contraction == Contraction::on ||
           (contraction == Contraction::automatic && !reproducible);
  }
};

/// Whether the process has more privileges than the user who has started it (set-user-id): what the
/// environment says of files must not count.
bool is_privileged();

/// Reads the environment.
/// @param lookup         value of a variable, or nothing
/// @param is_privileged  switches that name files, libraries and folders are ignored
/// @throws Error bad_option  names the variable, its value and the accepted ones
Options read_options(const std::function<std::optional<std::string>(const char*)>& lookup,
                     bool is_privileged = false);

/// A message for each environment variable that is not a switch, but begins with OP2_, or is one
/// but for lower case and a character ("op2_chain", "OP_CHAIN").
std::vector<std::string> unknown_switches(char** environment);

/// The table as text (--op2-help) and as a Markdown table (docs/switches.md).
std::string switches_as_text();
std::string switches_as_markdown();

/// The words of OP2_DEBUG as a Markdown table (docs/switches.md).
std::string debug_words_as_markdown();

}  // namespace op2::core
