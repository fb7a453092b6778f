#include "estimator/recording_hooks.h"

#include "antler/base/error.h"
#include "recorder.h"

namespace antler::conformance::estimators {
namespace {

[[noreturn]] void throw_class(const std::string& name, const std::string& message) {
  if (name == "ValueError") throw ValueError(message);
  if (name == "TypeError") throw TypeError(message);
  if (name == "RuntimeError") throw RuntimeError(message);
  if (name == "KeyError") throw KeyError(message);
  if (name == "NotFoundError") throw NotFoundError(message);
  if (name == "OutOfRangeError" || name == "StopIteration") throw OutOfRangeError(message);
  if (name == "AbortedError") throw AbortedError(message);
  if (name == "UnavailableError") throw UnavailableError(message);
  throw Unsupported{"throwing " + name};
}

}  // namespace

RecordingHook::RecordingHook(Scenario& scenario, const Json& args)
    : scenario_(scenario), args_(args), name_(args.at("name").get<std::string>()) {}

void RecordingHook::note(const char* event, std::optional<int64_t> step, const Json& value) {
  Json entry = Json::array({name_, event, step ? Json(*step) : Json(nullptr)});
  if (!value.is_null()) entry.push_back(value);
  scenario_.note(std::move(entry));
  maybe_throw(event, step.value_or(0));
}

void RecordingHook::maybe_throw(const std::string& event, int64_t step) {
  const Json& raise = member(args_, "raise");
  if (raise.is_null() || has_thrown_ || raise.at("event") != event) return;
  int64_t from = 0;
  read_member(raise, "step", from);
  if (step < from) return;
  has_thrown_ = true;
  std::string message;
  read_member(raise, "message", message);
  throw_class(raise.at("class").get<std::string>(), message);
}

void RecordingHook::begin() { note("begin", {}); }

void RecordingHook::after_create_session(est::Session& session) {
  note("after_create_session", session.global_step());
}

est::SessionRunArgs RecordingHook::before_run(est::SessionRunContext& context) {
  note("before_run", context.session().global_step());
  const Json& fetch = member(args_, "fetch");
  if (fetch.is_null()) return {};
  return {.fetches = {{"value", fetch.get<std::string>()}}};
}

void RecordingHook::after_run(est::SessionRunContext& context,
                              const est::SessionRunValues& values) {
  const int64_t step = context.session().global_step();
  note("after_run", step,
       args_.contains("fetch") ? to_json(Nest(values.at("value"))) : Json(nullptr));
  const Json& stop_at = member(args_, "stop_at");
  if (!stop_at.is_null() && step >= stop_at.get<int64_t>()) context.request_stop();
}

void RecordingHook::end(est::Session& session) { note("end", session.global_step()); }

RecordingListener::RecordingListener(Scenario& scenario, const Json& args)
    : scenario_(scenario), name_(args.at("name").get<std::string>()) {
  read_member(args, "stop_at", stop_at_);
}

void RecordingListener::begin() { scenario_.note({name_, "begin", nullptr}); }

void RecordingListener::before_save(est::Session& /*session*/, int64_t global_step) {
  scenario_.note({name_, "before_save", global_step});
}

bool RecordingListener::after_save(est::Session& /*session*/, int64_t global_step) {
  scenario_.note({name_, "after_save", global_step});
  return stop_at_ && global_step >= *stop_at_;
}

void RecordingListener::end(est::Session& /*session*/, int64_t global_step) {
  scenario_.note({name_, "end", global_step});
}

}  // namespace antler::conformance::estimators
