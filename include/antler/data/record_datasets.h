#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/data/dataset.h"
#include "antler/io/example.h"

namespace antler::data {

/// What `parse` makes of the records of TFRecord files (plain or gzip), file after file
/// (tf.data.TFRecordDataset with a map). Each pass reads the files again. Throws ValueError for no
/// file at all; while iterating NotFoundError, IOError for damaged files, and what `parse` throws.
Dataset from_tfrecords(std::vector<std::string> paths, std::function<Nest(std::string_view)> parse);

/// Dictionaries of tensors, of files that hold tf.train.Example:
///
///     auto rows = data::from_examples({"train.tfrecord"}, {{"image", {.shape = {28, 28}}},
///                                                          {"label", {.dtype = DType::int64}}});
///     auto batches = rows.map([](const Nest& r) { return Nest{r.at("image"), r.at("label")}; })
///                        .batch(32);
Dataset from_examples(std::vector<std::string> paths, io::FeatureSpecs specs);

}  // namespace antler::data
