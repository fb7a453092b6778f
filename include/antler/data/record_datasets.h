#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/data/dataset.h"
#include "antler/io/example.h"

namespace antler::data {

/// The results of `parse` for the records of TFRecord files (plain or gzip), file after file
/// (tf.data.TFRecordDataset with a map). Each pass reads the files again. Throws ValueError if
/// there are no paths; while iterating, NotFoundError, IOError for corrupt files, and what `parse`
/// throws.
Dataset from_tfrecords(std::vector<std::string> paths, std::function<Nest(std::string_view)> parse);

/// Dictionaries of tensors from files of tf.train.Example:
///
///     auto rows = data::from_examples({"train.tfrecord"}, {{"image", {.shape = {28, 28}}},
///                                                          {"label", {.dtype = DType::int64}}});
///     auto batches = rows.map([](const Nest& r) { return Nest{r.at("image"), r.at("label")}; })
///                        .batch(32);
Dataset from_examples(std::vector<std::string> paths, io::FeatureSpecs specs);

}  // namespace antler::data
