#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"
#include "antler/estimator/summary_writer.h"
#include "estimator/graph_messages.h"
#include "estimator/hooks/cadence.h"
#include "io/tf_messages.h"
#include "saving/checkpoint_state.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraphFile = "graph.pbtxt";

}  // namespace

CheckpointSaverHook::CheckpointSaverHook(const std::string& checkpoint_dir,
                                         const CheckpointSaverHookOptions& options)
    : directory_(checkpoint_dir), options_(options), timer_(options.save_secs, options.save_steps) {
  if (options.saver && options.scaffold) {
    throw ValueError("You cannot provide both saver and scaffold.");
  }
}

void CheckpointSaverHook::add_listeners(const std::vector<ListenerPtr>& listeners) {
  options_.listeners.insert(options_.listeners.end(), listeners.begin(), listeners.end());
}

void CheckpointSaverHook::set_default_saver(const Saver& saver) {
  if (!options_.saver && !options_.scaffold) options_.saver = saver;
}

void CheckpointSaverHook::begin() {
  writer_ = SummaryWriter::of(directory_);
  for (const ListenerPtr& listener : options_.listeners) listener->begin();
}

void CheckpointSaverHook::after_create_session(Session& session) {
  if (options_.saver) {
    saver_ = options_.saver;
  } else if (options_.scaffold && options_.scaffold->saver) {
    saver_ = options_.scaffold->saver;
  } else if (!saver_) {
    saver_ = Saver({.save_relative_paths = true});
    saver_->recover_last_checkpoints(directory_);
  }
  remove_stale_temporaries(directory_, [this](std::string_view name) {
    return name == saving::kStateFile || name == kGraphFile ||
           name.starts_with(options_.checkpoint_basename + "-");
  });
  const GraphMessages messages = graph_messages(session.graph(), {});
  if (options_.save_graph_def) {
    write_file_atomically((fs::path(directory_) / kGraphFile).string(),
                          io::proto_to_text(io::kGraphDefMessage, messages.graph_def));
  }
  writer_->graph(messages.graph_def);
  writer_->meta_graph(messages.meta_graph_def);
  const int64_t step = session.global_step();
  save(session, step);
  timer_.update_last_triggered_step(step);
}

void CheckpointSaverHook::after_run(SessionRunContext& context,
                                    const SessionRunValues& /*values*/) {
  const int64_t step = context.session().global_step();
  if (!timer_.should_trigger_for_step(step)) return;
  timer_.update_last_triggered_step(step);
  if (save(context.session(), step)) context.request_stop();
}

void CheckpointSaverHook::end(Session& session) {
  const int64_t step = session.global_step();
  if (timer_.last_triggered_step() != step) save(session, step);
  for (const ListenerPtr& listener : options_.listeners) listener->end(session, step);
  writer_->flush();
}

int64_t CheckpointSaverHook::steps_until_run(int64_t global_step) const {
  return steps_until(timer_, global_step);
}

/// Returns whether a listener wants training to stop.
bool CheckpointSaverHook::save(Session& session, int64_t step) {
  const std::string path = (fs::path(directory_) / options_.checkpoint_basename).string();
  logging::info(format("Calling checkpoint listeners before saving checkpoint {}...", step));
  for (const ListenerPtr& listener : options_.listeners) listener->before_save(session, step);
  logging::info(format("Saving checkpoints for {} into {}.", step, path));
  saver_->save(session.graph(), path, step, options_.save_graph_def);
  writer_->session_log(SummaryWriter::SessionStatus::checkpoint, path, step);
  writer_->flush();
  logging::info(format("Calling checkpoint listeners after saving checkpoint {}...", step));
  bool stops = false;
  for (const ListenerPtr& listener : options_.listeners) {
    if (listener->after_save(session, step)) {
      logging::info("A CheckpointSaverListener requested that training be stopped.");
      stops = true;
    }
  }
  return stops;
}

}  // namespace antler::estimator
