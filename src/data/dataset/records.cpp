#include "antler/base/error.h"
#include "antler/data/record_datasets.h"
#include "antler/data/sharding.h"
#include "antler/io/tfrecord.h"
#include "data/dataset/node.h"

namespace antler::data {

Dataset from_tfrecords(std::vector<std::string> paths,
                       std::function<Nest(std::string_view)> parse) {
  if (paths.empty()) throw ValueError("from_tfrecords: `paths` must name at least one file.");
  const PipelineFacts facts{.files = static_cast<int64_t>(paths.size())};
  return make_source(
      Dataset::kUnknown, facts,
      [paths = std::move(paths), parse = std::move(parse)](const Pass& pass) {
        const std::vector<std::string> own =
            pass.files.count == 1 ? paths : shard_files(paths, pass.files.count, pass.files.index);
        return make_iterator([own, parse, reader = std::shared_ptr<io::TFRecordReader>(),
                              file = size_t{0}](Nest& element) mutable {
          while (file < own.size()) {
            if (reader == nullptr) reader = std::make_shared<io::TFRecordReader>(own[file]);
            if (const auto record = reader->next()) {
              element = parse(*record);
              return true;
            }
            reader.reset();
            ++file;
          }
          return false;
        });
      });
}

Dataset from_examples(std::vector<std::string> paths, io::FeatureSpecs specs) {
  return from_tfrecords(std::move(paths), [specs = std::move(specs)](std::string_view record) {
    return io::decode_example(io::parse_example(record), specs);
  });
}

}  // namespace antler::data
