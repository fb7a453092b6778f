#include "antler/base/error.h"
#include "antler/estimator/hooks.h"
#include "antler/estimator/summary_writer.h"
#include "estimator/graph_messages.h"
#include "estimator/graph_state.h"
#include "estimator/hooks/cadence.h"

namespace antler::estimator {

struct SummarySaverHook::Requested {
  std::string tag;
  GraphSummary::Kind kind;
};

SummarySaverHook::SummarySaverHook(const SummarySaverHookOptions& options)
    : options_(options),
      timer_(options.save_secs, options.save_steps),
      writer_(options.summary_writer) {
  if (options.summary_op.empty() == (options.scaffold == nullptr)) {
    throw ValueError("Exactly one of scaffold or summary_op must be provided.");
  }
}

SummarySaverHook::~SummarySaverHook() = default;

void SummarySaverHook::begin() {
  if (!writer_ && !options_.output_dir.empty()) writer_ = SummaryWriter::of(options_.output_dir);
  next_step_.reset();
}

void SummarySaverHook::after_create_session(Session& session) {
  if (writer_) write_graph_once(*writer_, session.graph());
}

/// Whether a run of this many steps ends with one that has a summary.
bool SummarySaverHook::triggers(int64_t steps) const {
  return !next_step_ || timer_.should_trigger_for_step(*next_step_ + steps - 1);
}

SessionRunArgs SummarySaverHook::before_run(SessionRunContext& context) {
  step_before_ = context.session().global_step();
  requested_.clear();
  fetches_ = writer_ && triggers(context.steps());
  if (!fetches_) return {};
  SessionRunArgs args;
  if (options_.scaffold) {
    for (const GraphSummary& summary : context.session().graph().state()->summaries) {
      requested_.push_back({summary.tag, summary.kind});
      args.fetches.emplace_back(summary.tag, summary.fetch);
    }
  } else {
    for (const auto& [tag, fetch] : options_.summary_op) {
      requested_.push_back({tag, GraphSummary::Kind::scalar});
      args.fetches.emplace_back(tag, fetch);
    }
  }
  return args;
}

void SummarySaverHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!writer_) return;
  // The data may have ended before the step with a summary.
  const bool writes = fetches_ && triggers(values.steps);
  int64_t step = step_before_ + values.steps;
  if (writes) step = context.session().global_step();
  if (!next_step_) writer_->session_log(SummaryWriter::SessionStatus::start, "", step);
  if (writes) {
    timer_.update_last_triggered_step(step);
    SummaryBuilder summary;
    for (size_t i = 0; i < requested_.size() && i < values.results.size(); ++i) {
      const Tensor& value = values.results[i].second;
      if (requested_[i].kind == GraphSummary::Kind::histogram) {
        summary.histogram(requested_[i].tag, value);
      } else {
        summary.scalar(requested_[i].tag, value.item());
      }
    }
    writer_->summary(summary.bytes(), step);
  }
  next_step_ = step + 1;
}

void SummarySaverHook::end(Session& /*session*/) {
  if (writer_) writer_->flush();
}

int64_t SummarySaverHook::steps_until_run(int64_t /*global_step*/) const {
  if (!writer_) return kNever;
  return next_step_ ? steps_until(timer_, *next_step_ - 1) : 1;
}

}  // namespace antler::estimator
