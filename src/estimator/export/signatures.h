#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/estimator/estimator_spec.h"
#include "saving/export/meta_graph_sink.h"

namespace antler::estimator {

/// A signature whose tensors have no places in a written graph yet.
struct SignaturePlan {
  enum class Kind : uint8_t { predict, classify, regress, train, eval };
  Kind kind = Kind::predict;
  std::string name = {};
  /// By key, in order.
  std::vector<std::pair<std::string, Tensor>> outputs = {};
};

/// The signatures of a spec. For prediction: one per export output, and a default one. Otherwise:
/// one signature of loss, predictions and metrics. Throws ValueError if there are several outputs
/// without a default, and for predictions that are not tensors.
std::vector<SignaturePlan> plan_signatures(const EstimatorSpec& spec);

/// The receivers of a signature by key.
using Receivers = std::vector<std::pair<std::string, saving::TfPlace>>;
/// Values of a signature's outputs, in the order of the plan.
using Places = std::vector<saving::TfPlace>;

/// The text to write for one graph.
struct SignatureReport {
  io::WireWriter fields;              ///< of a MetaGraphDef
  std::vector<std::string> included;  ///< names
};
/// The signatures for the receivers, and "ALTERNATIVE:NAME" for alternative receivers. A
/// classification or regression needs one receiver of strings; otherwise it is left out, and the
/// log says so.
SignatureReport write_signatures(
    const std::vector<SignaturePlan>& plans, const std::vector<Places>& places,
    const Receivers& receivers, const std::vector<std::pair<std::string, Receivers>>& alternatives);

}  // namespace antler::estimator
