// SPDX-License-Identifier: BSD-3-Clause
// The logical clock of one rank of a modelled network, and its pending messages.
//
// Computation, the overhead of messages, and waiting advance the clock: a rank that waits for a
// message sets its clock to the modelled arrival, if that is later. A message does not count as
// arrived before the rank waits for it, even if MPI has delivered it: when that happens depends on
// the load of the machine. Each message is accompanied by another one with its arrival time, on a
// duplicate of the communicator, with the same ranks and tags.
#pragma once

#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include <mpi.h>

#include "parameters.hpp"
#include "work_meter.hpp"

namespace netmodel {

class Model {
 public:
  Model(const Network& network, WorkCosts costs);

  /// The logical clock of this rank, in seconds.
  double now();

  /// Adds or removes a modelled communicator. Collective.
  void add(MPI_Comm comm);
  void remove(MPI_Comm comm);
  /// Whether it was added; if not, the call is counted in the report as left out.
  bool takes_part(MPI_Comm comm);

  void send(MPI_Comm comm, int peer, int tag, int bytes);
  void receive(MPI_Request request, MPI_Comm comm, int peer, int tag);
  /// For a message that MPI_Improbe has matched.
  void receive_found(MPI_Request request, MPI_Message message);
  void find(MPI_Message message, MPI_Comm comm, const MPI_Status& status);
  enum class Collective {
    passes_on,  ///< a reduction or broadcast: each round moves as many bytes
    gathers     ///< rounds move all that has been gathered
  };
  /// Collective over `comm`: completes ceil(log2 ranks) rounds of messages after the last rank has
  /// started it.
  /// @param bytes  that a rank contributes
  void collective(MPI_Request request, MPI_Comm comm, int bytes, Collective kind);

  void declare_send(MPI_Request request, MPI_Comm comm, int peer, int tag, int bytes);
  void declare_receive(MPI_Request request, MPI_Comm comm, int peer, int tag);
  void start(MPI_Request request);
  void forget(MPI_Request request);

  /// The rank looks for messages of any sender. libop2 does so only while it waits, and then
  /// always.
  void begin_to_wait() { waits_ = true; }
  /// The messages of this communicator take no time: those with which libop2 finds out for what
  /// other ranks wait. When they are sent depends on the load of the machine.
  void leave_out(MPI_Comm comm) { untimed_.insert(comm); }

  /// Whether one of these requests is a receive or a collective.
  bool brings_something(std::span<const MPI_Request> requests) const;
  /// Whether MPI may be tested for completion of such requests: when the time of each is known, and
  /// the rank waits or has polled more often than any does for progress.
  bool may_have_ended(std::span<const MPI_Request> requests);
  /// They have.
  void have_ended(std::span<const MPI_Request> requests);

  /// One line with the clocks and messages of all ranks, on rank 0. Collective.
  std::string report();

 private:
  /// Accompanies a message.
  struct Stamp {
    double arrival = 0, bytes = 0;
  };
  /// A pending receive or collective.
  struct Pending {
    Stamp stamp;
    MPI_Request brings_stamp = MPI_REQUEST_NULL;
    double after = 0;    ///< seconds between the stamp's time and completion
    double started = 0;  ///< send buffer of a collective
    bool is_message = false;
  };
  struct Persistent {
    MPI_Comm comm;
    int peer, tag, bytes;
    bool sends;
  };
  struct Outgoing {
    Stamp stamp;
    MPI_Request request;
  };

  void charge_work();
  /// Charges the work before an operation that begins or ends; after it the rank does not wait.
  void pass_operation();
  bool is_known(Pending& pending);
  void drop_delivered_stamps();

  Network network_;
  double received_byte_;
  WorkMeter work_;
  double clock_ = 0;
  double line_free_ = 0;  ///< when the link is free again
  double waited_ = 0;
  long long messages_ = 0, bytes_ = 0, strangers_ = 0;
  bool waits_ = false;
  int polls_ = 0;  ///< since the last operation
  std::map<MPI_Comm, MPI_Comm> beside_;
  std::set<MPI_Comm> untimed_;
  std::unordered_map<MPI_Request, Pending> pending_;
  std::unordered_map<MPI_Request, Persistent> persistent_;
  std::unordered_map<MPI_Message, Stamp> found_;
  std::list<Outgoing> outgoing_;
};

}  // namespace netmodel
