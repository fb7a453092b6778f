#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/estimator/hooks.h"
#include "antler/estimator/summary_writer.h"
#include "antler/io/event_reader.h"
#include "estimator/folder_test.h"
#include "io/tf_messages.h"

namespace antler::estimator {
namespace {

/// A session without a model: run() of a hook's step only moves the global step.
class StepSession final : public Session {
 public:
  explicit StepSession(Graph graph) : graph_(std::move(graph)) {}
  const Graph& graph() const override { return graph_; }
  int64_t global_step() const override {
    return static_cast<int64_t>(graph_.global_step().stored().item());
  }
  std::vector<Tensor> run(const std::vector<Fetch>& fetches) override {
    return std::vector<Tensor>(fetches.size(), value());
  }
  Tensor value() const {
    return Tensor::full(DType::float32, {}, static_cast<double>(global_step()) / 8);
  }
  void advance(int64_t steps) {
    const double next = static_cast<double>(global_step() + steps);
    graph_.global_step().store(Tensor::full(DType::int64, {}, next));
  }

 private:
  Graph graph_;
};

/// The loop around a hook. Fetched values are an eighth of the step before the run's last one.
class HookLoop {
 public:
  HookLoop(SessionRunHook& hook, StepSession& session) : hook_(hook), session_(session) {
    hook_.begin();
    hook_.after_create_session(session_);
  }
  /// One run of `asked` steps, of which `made` happen. Returns whether the hook wants to stop.
  bool run(int64_t asked, int64_t made) {
    SessionRunContext context(session_, asked);
    const SessionRunArgs args = hook_.before_run(context);
    session_.advance(made - 1);
    SessionRunValues values{.results = {}, .steps = made};
    for (const auto& [name, fetch] : args.fetches)
      values.results.emplace_back(name, session_.value());
    session_.advance(1);
    hook_.after_run(context, values);
    return context.stop_requested();
  }
  /// `steps` steps in runs as long as the hook allows; returns how many runs that were.
  int64_t run_joined(int64_t steps) {
    int64_t runs = 0;
    while (steps > 0) {
      const int64_t n = std::min(hook_.steps_until_run(session_.global_step()), steps);
      run(n, n);
      steps -= n;
      ++runs;
    }
    return runs;
  }

 private:
  SessionRunHook& hook_;
  StepSession& session_;
};

class FileHooks : public FolderTest {
 protected:
  FileHooks() : session_(small_graph()) {}
  StepSession session_;
};

class Listener final : public CheckpointSaverListener {
 public:
  void begin() override { log.emplace_back("begin"); }
  void before_save(Session&, int64_t step) override { log.push_back(format("before {}", step)); }
  bool after_save(Session&, int64_t step) override {
    log.push_back(format("after {}", step));
    return step == 6;
  }
  void end(Session&, int64_t step) override { log.push_back(format("end {}", step)); }
  std::vector<std::string> log;
};

TEST_F(FileHooks, ACheckpointSaverSavesAtItsStepsOnlyAndAtTheEnd) {
  const auto listener = std::make_shared<Listener>();
  CheckpointSaverHook hook(path(), {.save_steps = 3, .listeners = {listener}});
  HookLoop loop(hook, session_);
  std::vector<bool> stops;
  stops.reserve(7);
  for (int i = 0; i < 7; ++i) stops.push_back(loop.run(1, 1));
  hook.end(session_);
  EXPECT_EQ(listener->log,
            (std::vector<std::string>{"begin", "before 0", "after 0", "before 3", "after 3",
                                      "before 6", "after 6", "before 7", "after 7", "end 7"}));
  EXPECT_EQ(stops, (std::vector<bool>{false, false, false, false, false, true, false}));
  for (const int step : {0, 3, 6, 7}) EXPECT_TRUE(exists(format("model.ckpt-{}.index", step)));
  EXPECT_EQ(infos_[0], "INFO:antler:Calling checkpoint listeners before saving checkpoint 0...");
  EXPECT_EQ(infos_[1], "INFO:antler:Saving checkpoints for 0 into " + path("model.ckpt") + ".");
  // graph.pbtxt is a GraphDef with the variables.
  const std::string graph = read_file(path("graph.pbtxt"));
  EXPECT_NE(graph.find("name: \"dense/kernel\"\n  op: \"VarHandleOp\""), std::string::npos);
  EXPECT_FALSE(io::proto_from_text(io::kGraphDefMessage, graph).empty());

  std::vector<std::pair<int64_t, std::string>> saves;
  bool has_graph = false;
  bool has_meta_graph = false;
  for (const io::Event& event : io::read_event_file(SummaryWriter::of(path())->path())) {
    has_graph = has_graph || event.has_graph;
    has_meta_graph = has_meta_graph || event.has_meta_graph;
    if (event.session_log) saves.emplace_back(event.step, event.session_log->checkpoint_path);
  }
  EXPECT_TRUE(has_graph && has_meta_graph);
  const std::string file = path("model.ckpt");
  EXPECT_EQ(saves, (std::vector<std::pair<int64_t, std::string>>{
                       {0, file}, {3, file}, {6, file}, {7, file}}));
}

TEST_F(FileHooks, RunsOfACheckpointSaverAreJoined) {
  CheckpointSaverHook hook(path(), {.save_steps = 4, .save_graph_def = false});
  HookLoop loop(hook, session_);
  EXPECT_EQ(loop.run_joined(10), 3);
  EXPECT_TRUE(exists("model.ckpt-4.index"));
  EXPECT_TRUE(exists("model.ckpt-8.index"));
  EXPECT_FALSE(exists("model.ckpt-4.meta"));
  EXPECT_FALSE(exists("graph.pbtxt"));
}

TEST_F(FileHooks, ACheckpointSaverNeedsOneCadenceAndOneSaver) {
  EXPECT_THROW(CheckpointSaverHook(path(), {}), ValueError);
  EXPECT_THROW(CheckpointSaverHook(path(), {.save_secs = 1, .save_steps = 1}), ValueError);
  EXPECT_THROW(
      CheckpointSaverHook(
          path(), {.save_steps = 1, .saver = Saver(), .scaffold = std::make_shared<Scaffold>()}),
      ValueError);
}

/// Without the seconds, which differ.
std::string without_time(const std::string& line) {
  const size_t at = line.find(" (");
  return at != std::string::npos && line.ends_with(" sec)") ? line.substr(0, at) + " (t)" : line;
}

TEST_F(FileHooks, TensorsAreLoggedEveryNIterations) {
  for (const bool joined : {false, true}) {
    StepSession session(small_graph());
    infos_.clear();
    LoggingTensorHook hook(sorted_by_tag({{"zz", "total_loss"}, {"aa", "total_loss"}}),
                           {.every_n_iter = 3, .at_end = true});
    HookLoop loop(hook, session);
    if (joined) {
      EXPECT_EQ(loop.run_joined(7), 3);  // 1, 3, 3
    } else {
      for (int i = 0; i < 7; ++i) loop.run(1, 1);
    }
    hook.end(session);
    std::vector<std::string> lines;
    for (const std::string& line : infos_) lines.push_back(without_time(line));
    EXPECT_EQ(lines, (std::vector<std::string>{"INFO:antler:aa = 0.0, zz = 0.0",
                                               "INFO:antler:aa = 0.375, zz = 0.375 (t)",
                                               "INFO:antler:aa = 0.75, zz = 0.75 (t)",
                                               "INFO:antler:aa = 0.875, zz = 0.875 (t)"}));
  }
}

TEST_F(FileHooks, ARunThatTheDataCutsShortIsNotLogged) {
  LoggingTensorHook hook({{"loss", "total_loss"}}, {.every_n_iter = 5});
  HookLoop loop(hook, session_);
  loop.run(1, 1);
  loop.run(5, 2);
  EXPECT_EQ(infos_.size(), 1U);
}

TEST_F(FileHooks, AFormatterMakesTheLine) {
  LoggingTensorHook hook({{"b", "x"}, {"a", "x"}},
                         {.every_n_iter = 1, .formatter = [](const auto& values) {
                            return "custom = " + values[0].first + "|" + values[1].first;
                          }});
  HookLoop(hook, session_).run(1, 1);
  EXPECT_EQ(infos_.back(), "INFO:antler:custom = b|a");
}

TEST_F(FileHooks, ALoggingHookNeedsACadence) {
  EXPECT_THROW(LoggingTensorHook({{"a", "x"}}, {}), ValueError);
  EXPECT_THROW(LoggingTensorHook({{"a", "x"}}, {.every_n_iter = 0}), ValueError);
  EXPECT_THROW(LoggingTensorHook({{"a", "x"}}, {.every_n_iter = 1, .every_n_secs = 1}), ValueError);
  LoggingTensorHook at_end({{"a", "x"}}, {.at_end = true});
  HookLoop loop(at_end, session_);
  loop.run(1, 1);
  EXPECT_TRUE(infos_.empty());
  EXPECT_EQ(at_end.steps_until_run(0), SessionRunHook::kNever);
}

TEST_F(FileHooks, StepsPerSecondAreWrittenFromTheSecondTriggerOn) {
  StepCounterHook hook({.every_n_steps = 3, .output_dir = path("counter")});
  HookLoop loop(hook, session_);
  EXPECT_EQ(loop.run_joined(7), 3);
  SummaryWriter::of(path("counter"))->flush();
  const auto curves = io::read_scalars(path("counter"));
  EXPECT_EQ(curves.at("global_step/sec").steps, (std::vector<int64_t>{4, 7}));
  ASSERT_EQ(infos_.size(), 2U);
  EXPECT_TRUE(infos_[0].starts_with("INFO:antler:global_step/sec: "));
}

TEST_F(FileHooks, AGlobalStepThatStandsStillIsReportedFiveTimes) {
  StepCounterHook hook({.every_n_steps = 100});
  hook.begin();
  for (int i = 0; i < 9; ++i) {
    SessionRunContext context(session_, 1);
    hook.before_run(context);
    hook.after_run(context, {});
  }
  EXPECT_EQ(warnings_.size(), 5U);
}

TEST_F(FileHooks, ExamplesPerSecondAreStepsTimesTheBatch) {
  ExamplesPerSecondHook hook(4, {.every_n_steps = 2, .output_dir = path("ex")});
  HookLoop loop(hook, session_);
  for (int i = 0; i < 5; ++i) loop.run(1, 1);
  SummaryWriter::of(path("ex"))->flush();
  const auto curves = io::read_scalars(path("ex"));
  EXPECT_EQ(curves.at("examples/sec").steps, (std::vector<int64_t>{3, 5}));
  EXPECT_NEAR(curves.at("examples/sec").values[0], 4 * curves.at("global_step/sec").values[0],
              1e-4 * curves.at("examples/sec").values[0]);
}

TEST_F(FileHooks, SummariesAreWrittenAtTheFirstStepAndThenByCadence) {
  for (const bool joined : {false, true}) {
    StepSession session(small_graph());
    const std::string folder = path(joined ? "joined" : "single");
    SummarySaverHook hook(
        {.save_steps = 2, .output_dir = folder, .summary_op = {{"mine", "total_loss"}}});
    HookLoop loop(hook, session);
    if (joined) {
      EXPECT_EQ(loop.run_joined(7), 4);  // 1, 2, 2, 2
    } else {
      for (int i = 0; i < 7; ++i) loop.run(1, 1);
    }
    hook.end(session);
    const auto curves = io::read_scalars(folder);
    EXPECT_EQ(curves.at("mine").steps, (std::vector<int64_t>{1, 3, 5, 7}));
    EXPECT_EQ(curves.at("mine").values, (std::vector<double>{0, 0.25, 0.5, 0.75}));
    const auto events = io::read_event_file(io::event_files(folder)[0]);
    EXPECT_TRUE(events[1].has_graph);
    EXPECT_TRUE(events[2].has_meta_graph);
    EXPECT_EQ(events[3].session_log->status, io::SessionLog::Status::start);
    EXPECT_EQ(events[3].step, 1);
  }
}

TEST_F(FileHooks, ASummarySaverNeedsOneSourceAndOneCadence) {
  EXPECT_THROW(SummarySaverHook({.save_steps = 2}), ValueError);
  EXPECT_THROW(SummarySaverHook({.save_steps = 2,
                                 .scaffold = std::make_shared<Scaffold>(),
                                 .summary_op = {{"mine", "x"}}}),
               ValueError);
  EXPECT_THROW(SummarySaverHook({.summary_op = {{"mine", "x"}}}), ValueError);
}

TEST_F(FileHooks, SingleStepsAreProfiledAfterTheFirstN) {
  ProfilerHook hook({.save_steps = 3, .output_dir = path("profile")});
  HookLoop loop(hook, session_);
  loop.run_joined(7);
  EXPECT_TRUE(exists("profile/timeline-3.json"));
  EXPECT_TRUE(exists("profile/timeline-6.json"));
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("profile"))) {
    files += entry.path().extension() == ".json" ? 1 : 0;
  }
  EXPECT_EQ(files, 2U);
}

}  // namespace
}  // namespace antler::estimator
