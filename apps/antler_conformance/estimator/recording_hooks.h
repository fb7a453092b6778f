#pragma once

#include "antler/estimator/hooks.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Records its calls, and may fetch a tensor, request a stop or throw once.
class RecordingHook final : public est::SessionRunHook {
 public:
  RecordingHook(Scenario& scenario, const Json& args);
  void begin() override;
  void after_create_session(est::Session& session) override;
  est::SessionRunArgs before_run(est::SessionRunContext& context) override;
  void after_run(est::SessionRunContext& context, const est::SessionRunValues& values) override;
  void end(est::Session& session) override;

 private:
  void note(const char* event, std::optional<int64_t> step, const Json& value = {});
  /// Throws what the case asks for, if it is for this event and step.
  void maybe_throw(const std::string& event, int64_t step);

  Scenario& scenario_;
  const Json& args_;
  std::string name_;
  bool has_thrown_ = false;
};

class RecordingListener final : public est::CheckpointSaverListener {
 public:
  RecordingListener(Scenario& scenario, const Json& args);
  void begin() override;
  void before_save(est::Session& session, int64_t global_step) override;
  bool after_save(est::Session& session, int64_t global_step) override;
  void end(est::Session& session, int64_t global_step) override;

 private:
  Scenario& scenario_;
  std::string name_;
  std::optional<int64_t> stop_at_;
};

}  // namespace antler::conformance::estimators
