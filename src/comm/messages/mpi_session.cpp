// SPDX-License-Identifier: BSD-3-Clause
// Starts and ends MPI.
#include <comm/messages/mpi_session.hpp>

#include <functional>
#include <optional>
#include <utility>

#include <comm/messages/launcher.hpp>
#include <core/error.hpp>

namespace op2::comm {

namespace {

/// Acts when MPI_Finalize is called: it first deletes the attributes of MPI_COMM_SELF.
class FinalizeHook {
 public:
  explicit FinalizeHook(std::function<void()> action) : action_(std::move(action)) {
    mpi_check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &FinalizeHook::act, &key_, nullptr),
              "MPI_Comm_create_keyval");
    mpi_check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), "MPI_Comm_set_attr");
  }
  ~FinalizeHook() {
    action_ = nullptr;
    if (!mpi_is_running()) return;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

 private:
  static int act(MPI_Comm, int, void* hook, void*) {
    const auto action = std::exchange(static_cast<FinalizeHook*>(hook)->action_, nullptr);
    if (action) action();
    return MPI_SUCCESS;
  }

  std::function<void()> action_;
  int key_ = MPI_KEYVAL_INVALID;
};

class Session final : public MpiSession {
 public:
  Session(std::optional<int> fortran_handle, const MpiOptions& options) {
    core::ensure(options.largest_message > 0 && options.largest_message <= 2147483647,
                 "the largest message exceeds INT_MAX bytes");
    int finalized = 0, granted = 0;
    mpi_check(MPI_Finalized(&finalized), "MPI_Finalized");
    if (finalized)
      core::fail(
          ErrorCode::communication_failure,
          "MPI has been finalised and cannot be started again: op_init, after the end of MPI by "
          "the program or by the op_exit of a session that had started it; call MPI_Init_thread "
          "before the first op_init and MPI_Finalize after the last op_exit");
    began_ = !mpi_is_running();
    if (began_)
      mpi_check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted),
                "MPI_Init_thread");
    mpi_check(MPI_Query_thread(&granted), "MPI_Query_thread");
    threads_allowed = granted == MPI_THREAD_MULTIPLE;
    const MPI_Comm comm = fortran_handle ? MPI_Comm_f2c(*fortran_handle) : MPI_COMM_WORLD;
    communicator = make_mpi_communicator(comm, options);
  }

  void on_finalize(std::function<void()> action) override { hook_.emplace(std::move(action)); }

  ~Session() override {
    hook_.reset();
    communicator.reset();
    if (began_ && mpi_is_running()) MPI_Finalize();
  }

 private:
  bool began_ = false;
  std::optional<FinalizeHook> hook_;
};

}  // namespace

bool mpi_is_running() {
  int initialised = 0, finalised = 0;
  mpi_check(MPI_Initialized(&initialised), "MPI_Initialized");
  mpi_check(MPI_Finalized(&finalised), "MPI_Finalized");
  return initialised && !finalised;
}

void end_mpi() {
  if (mpi_is_running()) mpi_check(MPI_Finalize(), "MPI_Finalize");
}

std::unique_ptr<MpiSession> start_mpi(std::optional<int> fortran_handle,
                                      const MpiOptions& options) {
  auto session = std::make_unique<Session>(fortran_handle, options);
  const int launched = launched_processes();
  if (!fortran_handle && launched > 1 && session->communicator->size() == 1)
    core::fail(ErrorCode::communication_failure,
               "the processes do not find each other: op_init, {} were launched, but each is alone "
               "in MPI_COMM_WORLD and would solve the whole problem; use the launcher of the MPI "
               "that libop2 was built with",
               launched);
  return session;
}

}  // namespace op2::comm
