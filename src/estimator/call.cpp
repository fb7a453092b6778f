// Determines the arguments with which input_fn and model_fn are called.
#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/distribute/tpu_strategy.h"
#include "antler/estimator/tpu_system.h"
#include "antler/runtime/config.h"
#include "estimator/agreed_stream.h"
#include "estimator/estimator_state.h"
#include "estimator/tpu_input.h"

namespace antler::estimator {
namespace {

void check_labels(const ModelFn& model_fn, InputStream& input) {
  if (model_fn.takes_labels()) return;
  const std::optional<Nest> promised = input.promised_spec();
  const Nest* const batch = promised ? &*promised : input.peek();
  if (batch != nullptr && !(*batch)[1].is_none())
    throw ValueError("model_fn does not take labels, but input_fn returns labels.");
}

void check_static_shapes(const InputStream& input) {
  const std::optional<Nest> promised = input.promised_spec();
  if (!promised) return;
  for (const Tensor& leaf : promised->flatten()) {
    if (leaf.defined() && !leaf.shape().is_known()) {
      throw ValueError(
          "The input_fn must return features and labels of static shapes on TPU: set "
          "`drop_remainder` of batch(). Received a tensor of shape {}.",
          leaf.shape());
    }
  }
}

void check_is_dataset(const InputData& input, ModeKeys mode, tpu::InputPipelineConfig config) {
  if (input.is_dataset()) return;
  if (mode == ModeKeys::predict) {
    throw TypeError(
        "For mode PREDICT, `input_fn` must return `Dataset` instead of `features` and `labels`.");
  }
  if (config == tpu::InputPipelineConfig::per_host_v2) {
    throw TypeError(
        "`input_fn` must return a `Dataset` for the PER_HOST_V2 input pipeline configuration.");
  }
}

tpu::Placement placement_of(const TPUSettings& tpu, ModeKeys mode) {
  const TPUEstimatorOptions& options = tpu.options;
  return tpu::place(tpu.config.tpu_config(),
                    {.mode = mode,
                     .use_tpu = options.use_tpu,
                     .eval_on_tpu = options.eval_on_tpu,
                     .batch_sizes = {.train = options.train_batch_size,
                                     .eval = options.eval_batch_size,
                                     .predict = options.predict_batch_size}},
                    options.use_tpu ? tpu::system_of(tpu.config, mode) : tpu::System());
}

/// If the configuration's cluster is a TPUClusterResolver, programs run on its devices from now on.
void select_devices(const tpu::RunConfig& config) {
  const auto resolver =
      std::dynamic_pointer_cast<const distribute::TPUClusterResolver>(config.cluster());
  if (resolver != nullptr && config::device() != resolver->device())
    distribute::initialize_tpu_system(*resolver);
}

/// Sets `params["batch_size"]`. If there is no size, the key is not set.
void set_batch_size(Params& params, const std::optional<int64_t>& size) {
  if (size) params.set("batch_size", *size);
}

data::InputContext input_context(const ModelTraceOptions& model) {
  return model.strategy ? model.strategy->input_context() : data::InputContext();
}

/// The stream of steps: in each step, every replica of this process takes its own batch. All
/// processes make the same number of steps.
std::shared_ptr<InputStream> for_replicas(std::shared_ptr<InputStream> stream,
                                          const ModelTraceOptions& model) {
  const data::InputContext context = input_context(model);
  const int64_t replicas = context.num_replicas_in_sync / context.num_input_pipelines;
  stream =
      join_streams({std::move(stream)}, {.elements_per_stream = std::max<int64_t>(replicas, 1)});
  ops::Communicator* const workers = model.strategy ? model.strategy->workers() : nullptr;
  return workers == nullptr ? stream : agreed_stream(std::move(stream), *workers);
}

Call make_tpu_call(const EstimatorState& state, ModeKeys mode, const InputFn& input_fn) {
  if (!input_fn.takes_arguments()) {
    throw ValueError(
        "input_fn does not include params argument, required by TPUEstimator to pass batch size as "
        "params[\"batch_size\"].");
  }
  const TPUSettings& tpu = *state.tpu;
  const tpu::Placement placement = placement_of(tpu, mode);
  Call call{.model = model_of(state, mode), .input = nullptr};
  call.model.on_tpu = !placement.on_cpu;
  call.model.params.set("use_tpu", call.model.on_tpu);
  set_batch_size(call.model.params, placement.model_batch_size);
  if (placement.on_cpu) logging::info(format("Running {} on CPU/GPU", mode_name(mode)));

  std::vector<std::shared_ptr<InputStream>> streams;
  for (const tpu::InputCall& input_call : placement.input_calls) {
    Params params = state.params;
    set_batch_size(params, placement.input_batch_size);
    const data::InputContext context =
        placement.on_cpu
            ? input_context(call.model)
            : data::InputContext{.num_input_pipelines = std::ssize(placement.input_calls),
                                 .input_pipeline_id = input_call.index,
                                 .num_replicas_in_sync = placement.num_replicas};
    const InputData input = input_fn(InputFnArgs{
        .params = params, .mode = mode, .config = tpu.config, .input_context = context});
    if (call.model.on_tpu) check_is_dataset(input, mode, placement.input);
    streams.push_back(make_input_stream(input));
  }
  using enum tpu::InputPipelineConfig;
  const bool by_host = placement.input == per_host_v1 || placement.input == sliced;
  if (call.model.on_tpu && by_host && tpu.options.batch_axis) {
    if (mode == ModeKeys::predict)
      throw TypeError("For mode PREDICT, batch_axis is not supported yet.");
    call.model.batch_axis = *tpu.options.batch_axis;
  }
  call.model.broadcast = placement.input == broadcast;
  // The replicas of a host take batches of its stream in turn; a replica that spans hosts has its
  // own stream.
  const int64_t turns =
      placement.input == per_host_v2 ? std::max<int64_t>(placement.replicas_per_host, 1) : 1;
  const bool pads = call.model.on_tpu && mode == ModeKeys::predict;
  call.input = join_streams(std::move(streams), {.elements_per_stream = turns,
                                                 .batch_axis = call.model.batch_axis,
                                                 .keeps_partial = pads,
                                                 .must_be_equal = !pads});
  if (placement.on_cpu) call.input = for_replicas(std::move(call.input), call.model);
  if (pads) {
    const auto padded =
        std::make_shared<PaddedStream>(std::move(call.input), *tpu.options.predict_batch_size);
    call.input = padded;
    call.padding = padded;
  }
  if (call.model.on_tpu) check_static_shapes(*call.input);
  if (call.model.on_tpu) select_devices(tpu.config);
  if (call.model.on_tpu && placement.num_replicas > 1)
    call.model.strategy = distribute::MirroredStrategy(placement.num_replicas);
  return call;
}

}  // namespace

void check_placement(const EstimatorState& state, ModeKeys mode) {
  if (state.tpu) placement_of(*state.tpu, mode);
}

Call make_call(const EstimatorState& state, ModeKeys mode, const InputFn& input_fn) {
  if (!input_fn.defined()) throw TypeError("input_fn must be a function. Received none.");
  Call call;
  if (state.tpu) {
    call = make_tpu_call(state, mode, input_fn);
  } else {
    call.model = model_of(state, mode);
    Params params = state.params;
    call.input = for_replicas(
        make_input_stream(input_fn(InputFnArgs{.params = params,
                                               .mode = mode,
                                               .config = state.config,
                                               .input_context = input_context(call.model)})),
        call.model);
  }
  if (mode == ModeKeys::predict) {
    call.input = without_labels(std::move(call.input));
  } else {
    check_labels(state.model_fn, *call.input);
  }
  return call;
}

}  // namespace antler::estimator
