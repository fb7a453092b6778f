#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/array_source.h"
#include "antler/nn/random_seed.h"
#include "antler/ops/communicator.h"
#include "antler/runtime/config.h"
#include "antler/training/steps_per_execution_tuner.h"
#include "distribute/remote_steps.h"
#include "training/execution_hooks.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/string_arrays.h"
#include "training/trainable_state.h"

namespace antler {
namespace training {
namespace {

FitParts split_validation(const FitData& x, const Nest& y, const FitOptions& options) {
  if (options.validation_data.given() || options.validation_split == 0.0)
    return {x, y, options.sample_weight, options.validation_data};
  if (x.is_source()) {
    throw ValueError(
        "`validation_split` is only supported for arrays. If `x` is a data set, a generator or a "
        "sequence, use `validation_data` instead.");
  }
  auto [train, tail] =
      data::split_tail(Nest{x.arrays(), y, options.sample_weight}, options.validation_split);
  return {train[0], train[1], train[2], {tail[0], tail[1], tail[2]}};
}

/// Keeps the history of the outer fit() when a callback calls fit() on the same model.
class HistoryGuard {
 public:
  explicit HistoryGuard(ModelState& state) : state_(state), nested_(state.fits) {
    if (nested_) kept_ = state.history;
    state_.fits = true;
  }
  ~HistoryGuard() {
    if (nested_) state_.history = std::move(kept_);
    state_.fits = nested_;
  }
  HistoryGuard(const HistoryGuard&) = delete;
  HistoryGuard& operator=(const HistoryGuard&) = delete;

 private:
  ModelState& state_;
  bool nested_;
  History kept_;
};

int64_t limited_epochs(int64_t epochs) {
  const std::optional<int64_t> most = config::max_epochs();
  if (!most || epochs <= *most) return epochs;
  logging::warning(format("Limiting epochs to {}", *most));
  return *most;
}

bool same_keys(const Logs& a, const Logs& b) {
  return a.size() == b.size() &&
         std::all_of(a.entries().begin(), a.entries().end(),
                     [&](const auto& entry) { return b.contains(entry.first); });
}

}  // namespace

History Loop::fit(const FitData& x, const Nest& y, const FitOptions& options) {
  options.validation_freq.check();
  const int64_t epochs = limited_epochs(options.epochs);
  check_positive("validation_batch_size", options.validation_batch_size);
  check_positive("validation_steps", options.validation_steps);
  check_remote(options.verbose);
  if (is_remote() && !options.steps_per_epoch)
    throw ValueError("`steps_per_epoch` must be given under a ParameterServerStrategy.");
  const int verbose = verbosity(options.verbose);
  const FitParts parts = split_validation(x, y, options);
  const DataHandler::Arguments arguments = training_arguments(parts, options, epochs);
  auto data = std::make_unique<DataHandler>(arguments);

  const CompiledTrainable trainable(model_, state_.trainable);
  const HistoryGuard history(state_);
  const std::shared_ptr<CallbackList> callbacks =
      make_callbacks(options.callbacks, verbose, epochs, data->steps_or_unknown());
  state_.stop_training = false;
  state_.train_counter = 0;
  state_.resume.reset();
  state_.shuffle_seed = arguments.source.seed;
  std::optional<TrainingState> joined;
  elastic_ = ElasticTraining::make(model_, elastic_group());
  try {
    if (elastic_ != nullptr) joined = elastic_->enter(callbacks.get());
  } catch (const ops::TrainingIsOver& over) {
    logging::warning(over.what());
    elastic_ = nullptr;
    state_.history = {};
    return {};
  }
  {
    std::optional<ops::ElasticGroup::Alone> alone;
    if (joined) alone.emplace(*elastic_group());
    is_chief_ = state_.strategy.is_chief();
    callbacks->on_train_begin();
  }
  TunerScope tuner(state_.tuner_in_use());
  Logs logs;
  for (bool ends = false; !ends;) {
    try {
      StepRunner runner(model_.make_train_function(), data->source(), remote_processes());
      logs = train_epochs(parts, options, epochs, *data, runner, *callbacks,
                          std::exchange(joined, std::nullopt));
      ends = true;
    } catch (const ops::JoinedAgain& again) {
      joined = unpack(again.state());
      data = std::make_unique<DataHandler>(arguments);
      validation_ = nullptr;
    }
  }
  if (state_.optimizer != nullptr)
    state_.optimizer->finalize_variable_values(model_.trainable_variables());
  tuner.stop();
  elastic_ = nullptr;
  callbacks->on_train_end(std::move(logs));
  return state_.history;
}

DataHandler::Arguments Loop::training_arguments(const FitParts& parts, const FitOptions& options,
                                                int64_t epochs) const {
  DataHandler::Arguments arguments = data_arguments(parts.x, parts.y, parts.sample_weight, options);
  arguments.source.shuffle = options.shuffle.value();
  if (arguments.source.shuffle != Shuffle::none) arguments.source.seed = next_random_seed();
  arguments.source.class_weight = options.class_weight;
  arguments.steps = options.steps_per_epoch;
  arguments.steps_name = "steps_per_epoch";
  arguments.initial_epoch = options.initial_epoch;
  arguments.epochs = epochs;
  return arguments;
}

ResumePoint Loop::starting_point(DataHandler& data, int64_t initial_epoch) {
  if (!state_.resume) return {.epoch = initial_epoch};
  const ResumePoint& resume = *state_.resume;
  state_.shuffle_seed = resume.shuffle_seed.value_or(state_.shuffle_seed);
  data.source().set_seed(state_.shuffle_seed);
  state_.train_counter = data.skip_epochs(resume.epoch - initial_epoch);
  return resume;
}

Logs Loop::train_epochs(const FitParts& parts, const FitOptions& options, int64_t epochs,
                        DataHandler& data, StepRunner& runner, CallbackList& callbacks,
                        std::optional<TrainingState> joined) {
  if (joined) follow(*joined, callbacks);
  const ResumePoint start = starting_point(data, options.initial_epoch);
  if (elastic_ != nullptr) elastic_->set_shuffle_seed(state_.shuffle_seed);
  Logs training_logs;
  for (int64_t epoch = start.epoch; epoch < epochs && !data.insufficient(); ++epoch) {
    const bool is_first = epoch == start.epoch;
    const int64_t first_step = is_first ? start.step : 0;
    if (!begin_epoch(data, first_step, is_first)) {
      // Resumed after the last step of an epoch whose length was not known.
      if (first_step == 0 || data.insufficient()) break;
      data.source().on_epoch_end();
      continue;
    }
    // The first step creates the metrics; the values of a resumed epoch are restored before it.
    if (first_step > 0 || elastic_ != nullptr) {
      std::optional<ops::ElasticGroup::Alone> alone;
      if (joined) alone.emplace(*elastic_group());
      runner.prepare();
    }
    model_.reset_metrics();
    callbacks.on_epoch_begin(epoch);
    if (is_first && !joined && !parts.x.is_source()) check_labels(runner, parts.y, "y");
    if (joined) elastic_->load(*joined);
    Logs logs = train_epoch(data, runner, callbacks, epoch, first_step, joined.has_value());
    joined.reset();
    if (parts.validation.given() && options.validation_freq.includes(epoch))
      validate(parts.validation, options, callbacks, logs);
    training_logs = logs;
    check_chief(callbacks);
    logs = callbacks.on_epoch_end(epoch, std::move(logs));
    // Synchronizes all workers: the chief has written its files, or it is lost and the next chief
    // writes them.
    state_.stop_training = in_any_worker(state_.stop_training);
    check_chief(callbacks, epoch, logs);
    if (state_.stop_training) break;
    data.source().on_epoch_end();
  }
  return training_logs;
}

void Loop::check_chief(CallbackList& callbacks, std::optional<int64_t> ended, const Logs& logs) {
  const bool was_chief = std::exchange(is_chief_, state_.strategy.is_chief());
  if (is_chief_ != was_chief) callbacks.chief_changed(ended, logs);
}

void Loop::follow(const TrainingState& joined, CallbackList& callbacks) {
  state_.stop_training = false;
  state_.resume = {.epoch = joined.epoch, .step = joined.step, .shuffle_seed = joined.shuffle_seed};
  size_t index = 0;
  for (const CallbackHandle& callback : callbacks) {
    if (index == joined.callbacks.size()) break;
    const Json own = Json::parse(joined.callbacks[index++]);
    if (!own.is_null()) callback.get()->set_state(own);
  }
}

bool Loop::begin_epoch(DataHandler& data, int64_t first_step, bool is_first_epoch) {
  data.begin_epoch();
  state_.train_counter += data.skip_steps(first_step);
  if (data.has_batch()) return true;
  if (is_first_epoch && first_step == 0) {
    throw ValueError(
        "Expected input data to be non-empty: the first epoch has no batches (unexpected result "
        "of the train function: empty logs).");
  }
  data.data_ended(first_step);
  return false;
}

bool Loop::in_any_worker(bool answer) const {
  ops::Communicator* const workers = state_.strategy.workers();
  if (workers == nullptr) return answer;
  int32_t any = answer ? 1 : 0;
  workers->all_reduce(&any, 1, DType::int32, ops::ReduceOp::max);
  return any != 0;
}

Logs Loop::train_epoch(DataHandler& data, StepRunner& runner, CallbackList& callbacks,
                       int64_t epoch, int64_t first_step, bool has_joined) {
  check_batch_hooks(callbacks.is_users(BatchHook::train_begin, BatchHook::train_end));
  const bool ask = has_joined ? elastic_->asks() : in_any_worker(callbacks.may_stop_alone());
  if (elastic_ != nullptr) elastic_->set_asks(ask);
  const bool end_hook = !is_remote() && callbacks.uses(BatchHook::train_end);
  const int64_t joined = joined_steps(data, callbacks.async_train());
  const bool is_watched = callbacks.uses(BatchHook::train_begin) || end_hook;
  ExecutionHooks hooks(
      joined > 1 && is_watched ? state_.steps_per_execution.value() : 0,
      [&](int64_t step) { callbacks.on_train_batch_begin(step); },
      [&](int64_t last_step, const Nest& logs) {
        if (end_hook) callbacks.on_train_batch_end(last_step, Logs(logs));
      });
  Nest outputs;
  run_executions(
      data, first_step, joined,
      [&](int64_t step) {
        if (elastic_ != nullptr) {
          elastic_->at(epoch, step);
          if (!has_joined) elastic_->admit();
          has_joined = false;
        }
        check_chief(callbacks);
        hooks.begin(step);
      },
      [&](int64_t steps) {
        return execute(data, runner, steps, outputs, hooks.each_execution(), hooks.period());
      },
      [&](int64_t last_step, int64_t done) {
        state_.train_counter += done;
        state_.steps_per_execution.add_steps(done);
        if (done > 0) hooks.end(last_step, outputs);
        if (ask) state_.stop_training = in_any_worker(state_.stop_training);
        return !state_.stop_training;
      });
  runner.join();
  return final_logs(outputs);
}

void Loop::validate(const ValidationData& validation, const FitOptions& options,
                    CallbackList& callbacks, Logs& logs) {
  Nest unchecked;
  if (validation_ == nullptr) {
    if (!validation.x.is_source()) unchecked = validation.y;
    DataHandler::Arguments arguments =
        data_arguments(validation.x, validation.y, validation.sample_weight, options);
    if (options.validation_batch_size) arguments.source.batch_size = options.validation_batch_size;
    arguments.steps = options.validation_steps;
    arguments.steps_name = "validation_steps";
    validation_ = std::make_unique<DataHandler>(arguments);
  }
  const Logs results = run_evaluation(*validation_, callbacks, unchecked, "validation_data");
  for (const auto& [name, value] : results.entries()) logs["val_" + name] = value;
}

Logs Loop::final_logs(const Nest& outputs) const {
  if (is_remote()) return model_.get_metrics_result();
  Logs logs(outputs);
  Logs results = model_.get_metrics_result();
  return same_keys(results, logs) ? results : logs;
}

}  // namespace training

template <class>
History Model::fit(const FitData& x, const Arrays& y, const FitOptions& options) {
  require_compiled("fit");
  training::refuse_strings(*model_, x, y);
  return training::Loop(*this).fit(x, y, options);
}
template History Model::fit<void>(const FitData&, const Arrays&, const FitOptions&);

History Model::fit(const FitData& x, const FitOptions& options) {
  return fit(x, Arrays(), options);
}

History Model::fit_generator(const FitData& generator, const FitOptions& options) {
  logging::warning("`Model.fit_generator` is deprecated. Use `Model.fit`, which takes generators.");
  return fit(generator, options);
}

}  // namespace antler
