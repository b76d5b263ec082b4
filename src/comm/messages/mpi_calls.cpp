// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_calls.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include <comm/messages/mpi_communicator.hpp>
#include <core/error.hpp>

// Extensions: of Open MPI 2.0 and MPICH 4.0, and of MPICH 4.1 alone. Null where an MPI lacks them.
extern "C" {
[[gnu::weak]] int MPIX_Query_cuda_support();
[[gnu::weak]] int MPIX_GPU_query_support(int gpu, int* is_supported);
}

namespace op2::comm {
namespace {

/// Whether the loaded library itself, not one that it needs, defines the symbol.
bool defines(const std::string& library, const char* symbol) {
  void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  const void* const address = dlsym(loaded, symbol);
  dlclose(loaded);
  Dl_info found{};
  return address != nullptr && dladdr(address, &found) != 0 && library == found.dli_fname;
}

/// Tools that watch MPI define MPI_*, those that implement it PMPI_*, too.
std::vector<std::string> loaded_mpi_libraries() {
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* names) {
        static_cast<std::vector<std::string>*>(names)->emplace_back(object->dlpi_name);
        return 0;
      },
      &libraries);
  std::erase_if(libraries, [](const std::string& library) {
    return library.empty() || !defines(library, "PMPI_Init");  // "": the program itself
  });
  return libraries;
}

}  // namespace

void check_single_mpi() {
  const std::vector<std::string> libraries = loaded_mpi_libraries();
  if (libraries.size() < 2) return;
  core::fail(ErrorCode::communication_failure,
             "two MPI libraries are in this process: op_init, {}; build the program, libop2 and "
             "the libraries that both use (PT-Scotch, HDF5) with one MPI: ldd shows what each "
             "needs, LD_DEBUG=files which of them needs which MPI; or set OP2_MPI=on if one of "
             "them passes calls to the other",
             fmt::format("{}", fmt::join(libraries, " and ")));
}

void mpi_check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  core::fail(ErrorCode::communication_failure,
             "MPI failed: {}, code {}, {}; see the output of MPI and of the launcher", call, code,
             std::string_view(text, length));
}

std::optional<bool> mpi_is_gpu_aware() {
  if (&MPIX_Query_cuda_support != nullptr) return MPIX_Query_cuda_support() != 0;
  constexpr int cuda = 0;  // MPICH's MPIX_GPU_SUPPORT_CUDA
  int is_supported = 0;
  if (&MPIX_GPU_query_support == nullptr ||
      MPIX_GPU_query_support(cuda, &is_supported) != MPI_SUCCESS)
    return {};
  return is_supported != 0;
}

int rank_in(MPI_Comm ranks) {
  int rank = 0;
  mpi_check(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  return rank;
}

MPI_Comm duplicate(MPI_Comm original) {
  MPI_Comm result = MPI_COMM_NULL;
  mpi_check(MPI_Comm_dup(original, &result), "MPI_Comm_dup");
  return result;
}

MPI_Comm ranks_on_node(MPI_Comm all, int ranks_per_node) {
  const int rank = rank_in(all);
  MPI_Comm result = MPI_COMM_NULL;
  if (ranks_per_node > 0)
    mpi_check(MPI_Comm_split(all, rank / ranks_per_node, rank, &result), "MPI_Comm_split");
  else
    mpi_check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &result),
              "MPI_Comm_split_type");
  return result;
}

NodeRank rank_on_node(MPI_Comm all) {
  const MpiComm node(ranks_on_node(all, 0));
  NodeRank place{rank_in(node), 1};
  mpi_check(MPI_Comm_size(node, &place.count), "MPI_Comm_size");
  return place;
}

MPI_Comm some_ranks(MPI_Comm all, bool takes_part) {
  MPI_Comm result = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split(all, takes_part ? 0 : MPI_UNDEFINED, rank_in(all), &result),
            "MPI_Comm_split");
  return result;
}

MpiComm::MpiComm(MPI_Comm result) : comm_(result) {
  if (result == MPI_COMM_NULL) return;
  mpi_check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

MpiComm::~MpiComm() {
  if (!kept_ && mpi_is_running() && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void MpiRequests::add(MPI_Request request, int peer, int expected) {
  requests_.push_back(request);
  peers_.push_back(peer);
  expected_.push_back(expected);
  statuses_.emplace_back();
}

bool MpiRequests::test() {
  int ended = 0;
  check(
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &ended, statuses_.data()));
  if (!ended) return false;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (expected_[k] < 0) continue;
    int bytes = 0;
    mpi_check(MPI_Get_count(&statuses_[k], MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes != expected_[k]) throw Fault{peers_[k]};
  }
  return true;
}

void MpiRequests::check(int code) {
  if (code != MPI_ERR_IN_STATUS) return mpi_check(code, "MPI_Testall");
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    const int error = statuses_[k].MPI_ERROR;
    if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
    int kind = MPI_SUCCESS;
    mpi_check(MPI_Error_class(error, &kind), "MPI_Error_class");
    if (kind == MPI_ERR_TRUNCATE) throw Fault{peers_[k]};
    mpi_check(error, "MPI_Testall");
  }
}

std::vector<int> MpiRequests::peers_under_way() const {
  std::vector<int> peers;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    int ended = 1;
    MPI_Request_get_status(requests_[k], &ended, MPI_STATUS_IGNORE);
    if (!ended) peers.push_back(peers_[k]);
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

}  // namespace op2::comm
