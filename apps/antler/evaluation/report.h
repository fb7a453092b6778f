#pragma once

#include <string>
#include <vector>

#include "antler/training/logs.h"
#include "antler/training/model.h"
#include "input/data_files.h"

namespace antler::cli {

/// The inputs of the report of `antler evaluate --report`.
struct ReportInput {
  std::string model_path;
  std::string data_path;
  const HostLogs& metrics;
  const Samples& samples;
  const std::vector<std::string>& classes;  ///< may be empty
};

/// A self-contained HTML page with the metrics. For a classifier it has the confusion matrix,
/// recall and precision per class, of the 100 classes with the most errors, and samples with their
/// predictions, the most confident mistakes first. For a regression it plots predictions against
/// targets.
std::string evaluation_report(Model& model, const ReportInput& input);

}  // namespace antler::cli
