#pragma once

#include <string>
#include <vector>

#include "antler/training/logs.h"
#include "antler/training/model.h"
#include "data_files.h"

namespace antler::cli {

/// What `antler evaluate --report` shows.
struct ReportInput {
  std::string model_path;
  std::string data_path;
  const HostLogs& metrics;
  const Samples& samples;
  const std::vector<std::string>& classes;  ///< may be empty
};

/// One HTML page that needs no other file: metrics; for a classifier the confusion matrix, scores
/// by class, and samples with what the model said, the surest mistakes first; else the predictions
/// against the targets.
std::string evaluation_report(Model& model, const ReportInput& input);

}  // namespace antler::cli
