#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/data/dataset.h"

namespace antler::data {

/// The number of rows of the first array that is not a scalar; 0 if there is none.
int64_t batch_rows(const Nest& batch);
/// `policy`, with AutoShardPolicy::automatic resolved: file if there is at least one file per
/// worker, else data. Throws ValueError for AutoShardPolicy::file if there are fewer files.
AutoShardPolicy resolved_policy(const Dataset& dataset, AutoShardPolicy policy, int64_t workers);
/// The part of `worker`. Throws ValueError unless 0 <= worker < workers, and what resolved_policy()
/// throws.
Dataset shard(const Dataset& dataset, AutoShardPolicy policy, int64_t workers, int64_t worker);
/// The rows of `worker` in a global batch: each worker in turn takes ceil(rows / workers) of the
/// remaining rows. Leaves with another number of rows are kept whole.
Nest rows_of_part(const Nest& batch, int64_t workers, int64_t worker);
/// The names of the files that `worker` reads: every `workers`-th. Throws ValueError for fewer
/// files than workers, and unless 0 <= worker < workers.
std::vector<std::string> shard_files(const std::vector<std::string>& files, int64_t workers,
                                     int64_t worker);
/// Splits each batch of `worker` along axis 0 into batches of the size of a worker's part, so that
/// those of all workers together have the rows of a global batch: 5 rows are split into 3 and 2 by
/// worker 0 of 2, and into 2 and 3 by worker 1. If there is more than one batch, the first one
/// gives the size of global batches. Throws ValueError unless 0 <= worker < workers.
Dataset rebatch(const Dataset& batches, int64_t workers, int64_t worker);

/// The batches joined along axis 0, leaf by leaf. Scalars and undefined leaves are taken from the
/// first batch. Throws ValueError for different structures, dtypes or shapes of rows.
Nest join_batches(const std::vector<Nest>& batches);
/// Joins each `count` consecutive batches; the last ones may be fewer. Throws ValueError unless
/// count >= 1.
Dataset join_batches(const Dataset& batches, int64_t count);

}  // namespace antler::data
