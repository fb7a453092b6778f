#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/train_and_evaluate.h"
#include "antler/io/event_reader.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;

void check_kept(const std::optional<int64_t>& exports_to_keep) {
  if (exports_to_keep && *exports_to_keep <= 0) {
    throw ValueError("`exports_to_keep`, if provided, must be positive number. Got {}",
                     *exports_to_keep);
  }
}

bool is_export_name(const std::string& name) {
  return name.size() == 10 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Deletes all exports of a folder but the newest.
void delete_old_exports(const std::string& folder, const std::optional<int64_t>& exports_to_keep) {
  if (!exports_to_keep) return;
  std::vector<fs::path> exports;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_export_name(entry.path().filename().string())) exports.push_back(entry.path());
  }
  std::ranges::sort(exports);
  const auto kept = static_cast<size_t>(*exports_to_keep);
  for (size_t i = 0; i + kept < exports.size(); ++i) {
    fs::remove_all(exports[i], error);
    if (error) {
      logging::warning(
          format("Can not delete {} recursively: {}", exports[i].string(), error.message()));
    }
  }
}

/// Shared by all exporters: the name, and how a SavedModel is written.
class SavedModelExporter : public Exporter {
 public:
  SavedModelExporter(std::string name, ServingInputReceiverFn receiver, ExporterOptions options)
      : name_(std::move(name)), receiver_(std::move(receiver)), options_(std::move(options)) {
    check_kept(options_.exports_to_keep);
  }
  const std::string& name() const override { return name_; }

 protected:
  std::string write(const ExportContext& context) const {
    return context.estimator.export_saved_model(context.export_path, receiver_,
                                                {.assets_extra = options_.assets_extra,
                                                 .as_text = options_.as_text,
                                                 .checkpoint_path = context.checkpoint_path});
  }
  void delete_old(const ExportContext& context) const {
    delete_old_exports(context.export_path, options_.exports_to_keep);
  }

 private:
  std::string name_;
  ServingInputReceiverFn receiver_;
  ExporterOptions options_;
};

class LatestImpl final : public SavedModelExporter {
 public:
  using SavedModelExporter::SavedModelExporter;
  std::optional<std::string> do_export(const ExportContext& context) override {
    std::string path = write(context);
    delete_old(context);
    return path;
  }
};

class FinalImpl final : public SavedModelExporter {
 public:
  using SavedModelExporter::SavedModelExporter;
  std::optional<std::string> do_export(const ExportContext& context) override {
    if (!context.is_the_final_export) return std::nullopt;
    logging::info("Performing the final export in the end of training.");
    return write(context);
  }
};

/// Paths that match a shell pattern, sorted.
std::vector<std::string> matching_files(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

class BestImpl final : public SavedModelExporter {
 public:
  explicit BestImpl(const BestExporterOptions& options)
      : SavedModelExporter(options.name, options.serving_input_receiver_fn,
                           {.assets_extra = options.assets_extra,
                            .as_text = options.as_text,
                            .exports_to_keep = options.exports_to_keep}),
        pattern_(options.event_file_pattern),
        is_better_(options.compare_fn) {
    if (!is_better_) throw ValueError("`compare_fn` must not be None.");
  }

  std::optional<std::string> do_export(const ExportContext& context) override {
    const std::string& model_dir = context.estimator.model_dir();
    if (model_dir_ != model_dir && !pattern_.empty()) {
      logging::info("Loading best metric from event files.");
      model_dir_ = model_dir;
      best_ = read_best(model_dir + "/" + pattern_);
    }
    if (best_ && has_exported_ && !is_better_(*best_, context.eval_result)) return std::nullopt;
    logging::info("Performing best model export.");
    best_ = context.eval_result;
    std::string path = write(context);
    delete_old(context);
    has_exported_ = true;
    return path;
  }

 private:
  /// The best result of the evaluations in event files.
  std::optional<EvalResult> read_best(const std::string& pattern) const {
    std::optional<EvalResult> best;
    for (const std::string& path : matching_files(pattern)) {
      for (const io::Event& event : io::read_event_file(path)) {
        EvalResult result;
        for (const io::SummaryValue& value : event.values) {
          if (value.number) result[value.tag] = Tensor::full(DType::float32, {}, *value.number);
        }
        if (!result.empty() && (!best || is_better_(*best, result))) best = std::move(result);
      }
    }
    return best;
  }

  std::string pattern_;
  CompareFn is_better_;
  std::string model_dir_;
  std::optional<EvalResult> best_;
  bool has_exported_ = false;
};

}  // namespace

bool has_smaller_loss(const EvalResult& best_eval_result, const EvalResult& current_eval_result) {
  const auto loss = [](const EvalResult& result, const char* name) {
    if (const Tensor* found = result.find("loss")) return found->item();
    throw ValueError("{} cannot be empty or no loss is found in it.", name);
  };
  return loss(best_eval_result, "best_eval_result") >
         loss(current_eval_result, "current_eval_result");
}

LatestExporter::LatestExporter(const std::string& name,
                               const ServingInputReceiverFn& serving_input_receiver_fn,
                               const ExporterOptions& options)
    : ExporterHandle(std::make_shared<LatestImpl>(name, serving_input_receiver_fn, options)) {}

FinalExporter::FinalExporter(const std::string& name,
                             const ServingInputReceiverFn& serving_input_receiver_fn,
                             const ExporterOptions& options)
    : ExporterHandle(
          std::make_shared<FinalImpl>(name, serving_input_receiver_fn,
                                      ExporterOptions{.assets_extra = options.assets_extra,
                                                      .as_text = options.as_text,
                                                      .exports_to_keep = {}})) {}

BestExporter::BestExporter(const BestExporterOptions& options)
    : ExporterHandle(std::make_shared<BestImpl>(options)) {}

BestExporter::BestExporter(const std::string& name,
                           const ServingInputReceiverFn& serving_input_receiver_fn,
                           BestExporterOptions options)
    : BestExporter([&] {
        options.name = name;
        options.serving_input_receiver_fn = serving_input_receiver_fn;
        return options;
      }()) {}

}  // namespace antler::estimator
