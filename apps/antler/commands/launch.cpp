#include <algorithm>
#include <memory>

#include "command_line/command.h"
#include "processes/launch_plan.h"
#include "processes/supervisor.h"

namespace antler::cli {

void add_launch(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("launch",
                                         "Starts a program as several processes of a cluster, and "
                                         "describes the cluster to them in TF_CONFIG");
  command->footer("For example: antler launch --workers 2 -- ./train --epochs 5\n" +
                  app.get_footer());
  const auto s = std::make_shared<LaunchSettings>();
  command->add_option("--workers", s->workers, "Number of workers")
      ->required()
      ->check(positive_integer());
  command
      ->add_option("--ps", s->ps,
                   "Number of parameter servers; if positive, a chief is also started, unless the "
                   "first worker is the chief")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--estimator", s->estimator,
                    "For train_and_evaluate(): the first worker is the chief, and an evaluator is "
                    "started, too");
  command
      ->add_option("--hosts", s->hosts,
                   "Start the processes by ssh on these hosts (a,b,...) in turn, in this folder")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--restarts", s->restarts,
                   "How many times each failed process is restarted (default 0)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--threads-per-worker", s->threads_per_worker,
                   "OMP_NUM_THREADS (default: cores / workers, unless it is set)")
      ->check(positive_integer());
  command->add_flag("--pin", s->pin, "Give each worker its own cores")->excludes("--hosts");
  command
      ->add_option("--port-base", s->port_base,
                   "First port (default: free ports; with --hosts, 8888)")
      ->check(CLI::Range(1, 65535));
  command->add_option("--grace", s->grace, "Seconds between SIGTERM and SIGKILL")
      ->capture_default_str()
      ->check(CLI::Range(0, 86400));
  command->add_option("program", s->program, "The program and its arguments, after --")->required();
  command->callback([&run, s] {
    run = [s] {
      // Take the words unparsed, because CLI11 splits words like [a,b].
      const auto marker = std::find(arguments().begin(), arguments().end(), "--");
      if (marker != arguments().end()) s->program.assign(marker + 1, arguments().end());
      return supervise(plan_launch(*s), {.restarts = s->restarts, .grace = s->grace});
    };
  });
}

}  // namespace antler::cli
