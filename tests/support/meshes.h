#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/distribute/distribution.h"

namespace antler::test {

/// A mesh of "cpu:0", "cpu:1", ... with axes "batch" and "model".
inline distribution::DeviceMesh mesh(int64_t batch, int64_t model) {
  std::vector<std::string> devices;
  for (int64_t i = 0; i < batch * model; ++i) devices.push_back("cpu:" + std::to_string(i));
  return {{batch, model}, {"batch", "model"}, devices};
}

using Layouts = std::vector<std::pair<std::string, distribution::TensorLayout>>;

/// ModelParallel with these layouts, and batches along "batch".
inline distribution::ModelParallel model_parallel(const distribution::DeviceMesh& devices,
                                                  const Layouts& layouts) {
  distribution::LayoutMap map(devices);
  for (const auto& [key, layout] : layouts) map[key] = layout;
  return distribution::ModelParallel({.layout_map = map, .batch_dim_name = "batch"});
}

}  // namespace antler::test
