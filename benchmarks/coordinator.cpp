#include "coordinator.h"

#ifdef ANTLER_BENCH_CLUSTER

#include <memory>

#include "antler/autodiff/gradient_tape.h"
#include "antler/cluster/cluster_coordinator.h"
#include "antler/cluster/parameter_server_strategy.h"
#include "antler/cluster/server.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::bench {
namespace {

constexpr int kRepeats = 7;

/// Measures functions per second: schedules `count` and waits for them.
void time_functions(Context& context, const std::string& metric,
                    cluster::ClusterCoordinator& coordinator, const Function& function, int count) {
  std::vector<double> times;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {
    const double begin = now();
    for (int i = 0; i < count; ++i) coordinator.schedule(function);
    coordinator.join();
    if (repeat >= 0) times.push_back((now() - begin) / count);
  }
  emit(context, metric, 1 / median(times), "1/s");
}

/// One step of gradient descent on a linear model of 1,000 parameters.
Function linear_step(const Variable& kernel, const std::shared_ptr<optimizers::SGD>& optimizer) {
  return tf::function(Function::Body([kernel, optimizer](const Nest&) -> Nest {
    const Tensor x = ops::ones({8, 1000}) * 0.001F;
    GradientTape tape;
    const Tensor loss = ops::mean(ops::square(ops::matmul(x, kernel.value()) - 1.0F));
    optimizer->apply_gradients({{tape.gradient(loss, kernel), kernel}});
    return loss;
  }));
}

}  // namespace

void run_coordinator(Context& context) {
  const auto resolver = distribute::resolver_from_environment();
  if (resolver == nullptr) return;
  const std::string job = resolver->task_type().value_or("");
  if (job == "worker" || job == "ps") cluster::Server().join();
  cluster::ParameterServerStrategy strategy;
  const auto scope = strategy.scope();
  cluster::ClusterCoordinator coordinator(strategy);
  context.workers = static_cast<int>(coordinator.num_workers());
  const Function empty =
      tf::function(Function::Body([](const Nest&) -> Nest { return ops::zeros({}); }));
  time_functions(context, "empty_functions", coordinator, empty, 20000);
  const Variable kernel(ops::zeros({1000, 1}), {.name = "kernel"});
  const auto optimizer = std::make_shared<optimizers::SGD>(0.1);
  time_functions(context, "steps_of_1000_parameters", coordinator, linear_step(kernel, optimizer),
                 2000);
}

}  // namespace antler::bench

#else

namespace antler::bench {

void run_coordinator(Context&) {}

}  // namespace antler::bench

#endif
