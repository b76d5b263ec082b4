// SPDX-License-Identifier: BSD-3-Clause
// The clock of one rank of a modelled network, and what is under way on it.
//
// The clock goes on by work, by the overhead of messages, and by waiting: whoever waits for a
// message that has arrived in fact but not yet on the clock moves the clock to its arrival. A
// message that nobody waits for is not there before. Times travel beside the messages, on a
// duplicate of each communicator with the same ranks and tags.
#pragma once

#include <list>
#include <map>
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

  /// Seconds on the clock of this rank.
  double now();

  /// Communicators that take part. Collective.
  void add(MPI_Comm comm);
  void remove(MPI_Comm comm);
  /// False, and a line in the report, if nothing is known of it.
  bool takes_part(MPI_Comm comm);

  void send(MPI_Comm comm, int peer, int tag, int bytes);
  void receive(MPI_Request request, MPI_Comm comm, int peer, int tag);
  /// A message that MPI_Improbe has found.
  void receive_found(MPI_Request request, MPI_Message message);
  void find(MPI_Message message, MPI_Comm comm, const MPI_Status& status);
  /// All ranks of `comm` call it: ends ceil(log2 ranks) rounds of messages after the last has
  /// begun.
  void collective(MPI_Request request, MPI_Comm comm, int bytes);

  void declare_send(MPI_Request request, MPI_Comm comm, int peer, int tag, int bytes);
  void declare_receive(MPI_Request request, MPI_Comm comm, int peer, int tag);
  void start(MPI_Request request);
  void forget(MPI_Request request);

  /// Whether MPI may be asked if all of these have ended. It may not while one of them is on its
  /// way and the rank does not wait. A rank waits if it asks again and again without having worked.
  bool may_have_ended(std::span<const MPI_Request> requests);
  /// MPI has said yes, or no.
  void have_ended(std::span<const MPI_Request> requests);
  void have_not_ended();

  /// A line on the clocks and messages of all ranks, on rank 0. Collective.
  std::string report();

 private:
  /// What travels beside a message.
  struct Stamp {
    double arrival = 0, bytes = 0;
  };
  /// A receive or a collective under way.
  struct Pending {
    Stamp stamp;
    MPI_Request brings_stamp = MPI_REQUEST_NULL;
    double after = 0;    ///< seconds between the stamp's time and the end
    double started = 0;  ///< sent buffer of a collective
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
  bool is_known(Pending& pending);
  void drop_delivered_stamps();

  Network network_;
  double received_byte_;
  WorkMeter work_;
  double clock_ = 0;
  double line_free_ = 0;  ///< when the last message has left
  double waited_ = 0;
  long long messages_ = 0, bytes_ = 0, strangers_ = 0;
  int polls_ = 0;  ///< in vain, since something happened
  std::map<MPI_Comm, MPI_Comm> beside_;
  std::unordered_map<MPI_Request, Pending> pending_;
  std::unordered_map<MPI_Request, Persistent> persistent_;
  std::unordered_map<MPI_Message, Stamp> found_;
  std::list<Outgoing> outgoing_;
};

}  // namespace netmodel
