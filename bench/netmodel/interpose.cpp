// SPDX-License-Identifier: BSD-3-Clause
// Every MPI function that libop2 calls and that affects or returns time. Calls from PT-Scotch are
// passed to MPI directly: partitioning is not modelled.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "model.hpp"

namespace {

using netmodel::Model;

std::unique_ptr<Model>& model() {
  static std::unique_ptr<Model> only;
  return only;
}

void begin() {
  try {
    model() = std::make_unique<Model>(netmodel::network_from_environment(),
                                      netmodel::work_costs_from_environment());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "netmodel: %s\n", error.what());
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
}

bool comes_from_scotch(void* caller) {
  static std::unordered_map<void*, bool> known;
  const auto [place, is_new] = known.try_emplace(caller, false);
  Dl_info info;
  if (is_new && dladdr(caller, &info) != 0 && info.dli_fname != nullptr)
    place->second = std::strstr(info.dli_fname, "scotch") != nullptr;
  return place->second;
}

bool is_modelled(void* caller, MPI_Comm comm) {
  return model() && !comes_from_scotch(caller) && model()->takes_part(comm);
}

int bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

/// libop2 does not use MPI for a single process, unless the program does. Processes that this one
/// starts are not modelled.
__attribute__((constructor)) void begin_alone() {
  if (std::getenv("NETMODEL_ALONE") == nullptr) return;
  unsetenv("NETMODEL_ALONE");
  int granted = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted);
  std::atexit([] { MPI_Finalize(); });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  begin();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  begin();
  return code;
}

int MPI_Finalize() {
  if (!model()) return PMPI_Finalize();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string line = model()->report();
  if (rank == 0) std::fprintf(stderr, "%s\n", line.c_str());
  model().reset();
  return PMPI_Finalize();
}

double MPI_Wtime() {
  return model() ? model()->now() : PMPI_Wtime();
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  const int code = PMPI_Comm_dup(comm, copy);
  if (model() && code == MPI_SUCCESS) model()->add(*copy);
  return code;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part) {
  const int code = PMPI_Comm_split(comm, colour, key, part);
  if (model() && code == MPI_SUCCESS && *part != MPI_COMM_NULL) model()->add(*part);
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, part);
  if (model() && code == MPI_SUCCESS && *part != MPI_COMM_NULL) model()->add(*part);
  return code;
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (model()) model()->remove(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (is_modelled(__builtin_return_address(0), comm))
    model()->send(comm, peer, tag, bytes_of(count, type));
  return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

/// Its completion means that the receive has started, which the clock does not model.
int MPI_Issend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (is_modelled(__builtin_return_address(0), comm))
    model()->send(comm, peer, tag, bytes_of(count, type));
  return PMPI_Issend(data, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const int code = PMPI_Irecv(data, count, type, peer, tag, comm, request);
  if (is_modelled(__builtin_return_address(0), comm)) model()->receive(*request, comm, peer, tag);
  return code;
}

int MPI_Improbe(int peer, int tag, MPI_Comm comm, int* found, MPI_Message* message,
                MPI_Status* status) {
  const bool looks =
      model() && peer == MPI_ANY_SOURCE && !comes_from_scotch(__builtin_return_address(0));
  if (looks) model()->begin_to_wait();
  if (looks && tag == MPI_ANY_TAG) model()->leave_out(comm);
  MPI_Status own;
  const int code = PMPI_Improbe(peer, tag, comm, found, message, &own);
  if (code == MPI_SUCCESS && *found && is_modelled(__builtin_return_address(0), comm))
    model()->find(*message, comm, own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

int MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  const MPI_Message found = *message;
  const int code = PMPI_Imrecv(data, count, type, message, request);
  if (model()) model()->receive_found(*request, found);
  return code;
}

int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                   MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Iallgather(mine, count, type, all, all_count, all_type, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->collective(*request, comm, bytes_of(count, type), Model::Collective::gathers);
  return code;
}

int MPI_Iallreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Iallreduce(mine, result, count, type, operation, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->collective(*request, comm, bytes_of(count, type), Model::Collective::passes_on);
  return code;
}

int MPI_Ireduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                int root, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Ireduce(mine, result, count, type, operation, root, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->collective(*request, comm, bytes_of(count, type), Model::Collective::passes_on);
  return code;
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  const int code = PMPI_Ibcast(data, count, type, root, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->collective(*request, comm, bytes_of(count, type), Model::Collective::passes_on);
  return code;
}

int MPI_Iexscan(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Iexscan(mine, result, count, type, operation, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->collective(*request, comm, bytes_of(count, type), Model::Collective::passes_on);
  return code;
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Send_init(data, count, type, peer, tag, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->declare_send(*request, comm, peer, tag, bytes_of(count, type));
  return code;
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Recv_init(data, count, type, peer, tag, comm, request);
  if (is_modelled(__builtin_return_address(0), comm))
    model()->declare_receive(*request, comm, peer, tag);
  return code;
}

int MPI_Start(MPI_Request* request) {
  if (model()) model()->start(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request* requests) {
  for (int k = 0; model() && k < count; ++k) model()->start(requests[k]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  if (model()) model()->forget(*request);
  return PMPI_Request_free(request);
}

int MPI_Testall(int count, MPI_Request* requests, int* ended, MPI_Status* statuses) {
  const std::span all(requests, count);
  if (!model() || !model()->brings_something(all))
    return PMPI_Testall(count, requests, ended, statuses);
  *ended = 0;
  if (!model()->may_have_ended(all)) return MPI_SUCCESS;
  const std::vector<MPI_Request> before(all.begin(), all.end());
  const int code = PMPI_Testall(count, requests, ended, statuses);
  if (*ended) model()->have_ended(before);
  return code;
}

int MPI_Test(MPI_Request* request, int* ended, MPI_Status* status) {
  const MPI_Request before = *request;
  if (!model() || !model()->brings_something({&before, 1}))
    return PMPI_Test(request, ended, status);
  *ended = 0;
  if (!model()->may_have_ended({&before, 1})) return MPI_SUCCESS;
  const int code = PMPI_Test(request, ended, status);
  if (*ended) model()->have_ended({&before, 1});
  return code;
}

}  // extern "C"
#pragma GCC visibility pop
