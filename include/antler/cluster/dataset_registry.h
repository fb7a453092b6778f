#pragma once

#include <functional>
#include <string>

#include "antler/data/dataset.h"
#include "antler/data/input_context.h"

namespace antler::cluster {

/// Makes the data set of one worker.
using MakeDataset = std::function<data::Dataset(const data::InputContext& context)>;

/// Names a function that makes data sets in the worker's own process, for
/// ClusterCoordinator::create_per_worker_dataset(name). The program of the workers calls it before
/// it starts its Server. Elements never travel then, and the data set may use host functions,
/// strings and files of the worker's machine.
///
///     cluster::register_dataset_fn("train", [](const data::InputContext& input) {
///       return read_files("train").shard(input.num_input_pipelines, input.input_pipeline_id);
///     });
///     if (job == "worker" || job == "ps") cluster::Server().join();
///
/// Threads of the server call the function. Throws TypeError for an empty function, ValueError for
/// an empty name and for one that is taken.
void register_dataset_fn(const std::string& name, MakeDataset make);

}  // namespace antler::cluster
