#include <functional>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/estimator/early_stopping.h"
#include "estimator/estimator_state.h"
#include "estimator/graph_seed.h"
#include "estimator/session_hooks.h"

namespace antler::estimator {
namespace {

/// Evaluates the model in a separate graph, with the current values of the training's variables.
class InMemoryEvaluatorHook final : public SessionRunHook {
 public:
  InMemoryEvaluatorHook(Estimator estimator, InputFn input_fn, InMemoryEvaluatorHookOptions options)
      : estimator_(std::move(estimator)),
        input_fn_(std::move(input_fn)),
        options_(std::move(options)) {
    if (options_.every_n_iter <= 0)
      throw ValueError("invalid every_n_iter={}.", options_.every_n_iter);
    const RunConfig& config = estimator_.config();
    if (config.num_ps_replicas() > 0 || config.num_worker_replicas() > 1) {
      throw ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.");
    }
    if (config.eval_distribute())
      throw ValueError("InMemoryEvaluator does not support eval_distribute.");
  }

  void begin() override {
    runs_ = 0;
    const GraphSeed seed(estimator_.config());
    call_ = make_call(*estimator_.state(), ModeKeys::eval, input_fn_);
    model_ = std::make_unique<ModelTrace>(call_.model);
    session_ = std::make_unique<GraphSession>(*model_, call_.input);
    const std::shared_ptr<Scaffold>& scaffold = model_->spec().scaffold;
    if (scaffold != nullptr && scaffold->saver)
      throw ValueError("InMemoryEvaluator does not support custom saver");
    if (scaffold != nullptr && scaffold->init_fn)
      throw ValueError("InMemoryEvaluator does not support custom init_fn");
    reset_ = local_initializer(model_->graph());
    host_call_ = host_call_hook(*estimator_.state(), *session_);
  }

  void after_create_session(Session& session) override { evaluate(session); }

  void after_run(SessionRunContext& context, const SessionRunValues& values) override {
    const int64_t before = runs_;
    runs_ += values.steps;
    if (before / options_.every_n_iter != runs_ / options_.every_n_iter)
      evaluate(context.session());
  }

  void end(Session& session) override {
    evaluate(session);
    host_call_.reset();
    session_.reset();
    model_.reset();
    call_ = {};
  }

  int64_t steps_until_run(int64_t /*global_step*/) const override {
    return options_.every_n_iter - runs_ % options_.every_n_iter;
  }

 private:
  void evaluate(Session& training) {
    session_->input().restart();
    const auto copy_values = [&](Session& session) {
      for (const auto& [name, variable] : session.graph().variables()) {
        const Variable trained = training.graph().find(name);
        if (trained.defined()) variable.store(trained.stored());
      }
      reset_();
    };
    EvaluateOptions options{.steps = options_.steps, .hooks = options_.hooks};
    if (host_call_ != nullptr) options.hooks.push_back(host_call_);
    evaluate_session(*session_, options, copy_values, estimator_.eval_dir(options_.name), {});
  }

  Estimator estimator_;
  InputFn input_fn_;
  InMemoryEvaluatorHookOptions options_;
  Call call_;
  std::unique_ptr<ModelTrace> model_;
  std::unique_ptr<GraphSession> session_;
  std::function<void()> reset_;  ///< of local variables
  HookPtr host_call_;            ///< null if there is none
  int64_t runs_ = 0;
};

}  // namespace

HookPtr in_memory_evaluator_hook(const Estimator& estimator, const InputFn& input_fn,
                                 const InMemoryEvaluatorHookOptions& options) {
  return std::make_shared<InMemoryEvaluatorHook>(estimator, input_fn, options);
}

}  // namespace antler::estimator
