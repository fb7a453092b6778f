#include <iostream>
#include <optional>

#include "antler/cluster/dataset_registry.h"
#include "antler/cluster/server.h"
#include "cluster_training/scenarios.h"

namespace antler::test {

void data_server() {
  cluster::register_dataset_fn("numbers", [](const data::InputContext&) {
    return data::Dataset::from_generator([] {
      return [i = int64_t{0}]() mutable -> std::optional<Tensor> {
        return Tensor::full(DType::int64, {}, static_cast<double>(i++));
      };
    });
  });
  cluster::Server server;
  std::cout << "listening" << std::endl;
  server.join();
}

}  // namespace antler::test
