#include "training_run/results.h"

#include <cstdio>
#include <functional>

#include "antler/training/plot_history.h"
#include "command_line/command_line.h"
#include "models/outputs.h"

namespace antler::cli {

void check_outputs(const FitSettings& s) {
  check_output(s.out, {".keras", ".h5", ".hdf5"});
  check_output(s.history);
  check_output(s.plot, {".svg", ".png"});
}

Written write_results(const Model& model, const DataPlan& plan, const FitSettings& s,
                      const EpochTimes& times) {
  Written written;
  const auto write = [&](const std::string& path,
                         const std::function<void(const std::string&)>& to) {
    if (path.empty()) return path;
    std::string found = write_or_keep(path, {s.checkpoint_dir}, to);
    written.in_place = written.in_place && found == path;
    return found;
  };
  written.out = write(s.out, [&](const std::string& path) {
    model.save(path);
    plan.save_beside(path);
  });
  const History& history = model.history();
  write(s.history,
        [&](const std::string& path) { write_history(path, history, times.seconds(), s.given); });
  if (!history.epoch.empty()) {
    write(s.plot, [&](const std::string& path) { save_charts(history_charts(history), path); });
  }
  return written;
}

void keep_unfinished(const Model& model, const DataPlan& plan, const FitSettings& s) {
  const auto kept = keep_beside(s.out, {s.checkpoint_dir}, [&](const std::string& path) {
    model.save(path);
    plan.save_beside(path);
  });
  std::fflush(stdout);
  if (kept) {
    std::fprintf(stderr, "Training failed. The model so far was saved to %s\n", kept->c_str());
  }
}

std::string evaluated(Model& model, const Samples& samples, const FitSettings& s, const char* name,
                      Json& result) {
  if (!samples.given() || !samples.has_targets()) return "";
  EvaluateOptions options{.verbose = 0};
  if (!samples.batches) options.batch_size = s.batch_size;
  const HostLogs logs = model.evaluate(samples.inputs(model), samples.targets(), options);
  std::string line;
  for (const auto& [key, value] : logs) {
    result[name][key] = value;
    line += format("{}{} {:.4f}", line.empty() ? "" : ", ", key, value);
  }
  return format("{}: {}\n", name, line);
}

void report(const FitSettings& s, const Results& results, const History& history,
            const InterruptCallback* interrupted) {
  const std::string& out = results.out;
  if (s.json) {
    Json result = results.json;
    result.update(Json{{"out", out}, {"epochs", history.epoch.size()}, {"logs", Json::object()}});
    for (const auto& [name, values] : history.history) {
      if (!values.empty()) result["logs"][name] = values.back();
    }
    if (interrupted != nullptr) result["resume"] = resume_command();
    std::printf("%s\n", result.dump().c_str());
  } else {
    if (history.epoch.size() > 1 && s.verbose == 1) {
      const auto charts = history_charts(history);
      if (!charts.empty()) std::printf("\n%s\n", charts.front().to_terminal(72, 8).c_str());
    }
    std::printf("%s", results.text.c_str());
    std::printf("%ssaved: %s\n", interrupted != nullptr ? "\n" : "", out.c_str());
  }
  if (interrupted == nullptr) return;
  std::fflush(stdout);
  std::fprintf(stderr, "Stopped by Ctrl-C in epoch %lld, after step %lld. To continue:\n  %s\n",
               static_cast<long long>(interrupted->epoch()),
               static_cast<long long>(interrupted->step()), resume_command().c_str());
}

}  // namespace antler::cli
