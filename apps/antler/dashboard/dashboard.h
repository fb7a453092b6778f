#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/training/callback.h"
#include "input/data_files.h"

namespace antler::cli {

class DashboardServer;
class DashboardState;

/// What the page shows about a training run from the beginning.
struct DashboardRun {
  std::string command;     ///< as typed
  std::string model_path;  ///< the argument MODEL
  std::string data_path;   ///< the argument DATA
  int64_t batch_size = 0;
};

/// The page of `antler fit --dashboard`. Without serve() its functions have no visible effect.
class Dashboard {
 public:
  explicit Dashboard(DashboardRun run);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  /// Starts serving on a port of 127.0.0.1; 0 means any free port. Returns the page's address.
  /// Throws RuntimeError if the port cannot be used.
  std::string serve(int port);
  /// The callback for fit() of this compiled model on `rows` samples of `data` per epoch. If
  /// `validation` is not given(), the page shows no predictions.
  CallbackHandle watch(const Model& model, const LoadedData& data, int64_t rows,
                       Samples validation);
  /// Shows that the run has ended: `state` is "finished", "interrupted" or "failed".
  void end(const std::string& state, const std::string& message);

 private:
  const DashboardRun run_;
  std::shared_ptr<DashboardState> state_;
  std::unique_ptr<DashboardServer> server_;
};

}  // namespace antler::cli
