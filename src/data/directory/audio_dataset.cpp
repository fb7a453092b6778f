#include <algorithm>
#include <memory>

#include "antler/base/error.h"
#include "antler/data/directory_datasets.h"
#include "antler/io/wav.h"
#include "data/directory/file_index.h"

namespace antler::data {
namespace {

FileIndexOptions audio_index_options(const AudioDatasetOptions& o) {
  return index_options("audio_dataset_from_directory", {".wav"}, o);
}

io::Audio read_audio(const FileIndex& index, size_t row, const AudioDatasetOptions& o) {
  const size_t file = index.files[row];
  const std::string path = index.directory + "/" + index.tree->files()[file];
  try {
    io::Audio audio =
        io::decode_wav(index.tree->read(file), {.desired_samples = o.output_sequence_length});
    if (o.sampling_rate && audio.sample_rate != *o.sampling_rate) {
      throw NotImplementedError(
          "'{}': the file has {} samples per second, and resampling is not supported. Received: "
          "sampling_rate={}",
          path, audio.sample_rate, *o.sampling_rate);
    }
    return audio;
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

/// A batch [n, longest, channels].
Tensor padded(const Tensors& sounds) {
  int64_t longest = 0;
  const int64_t channels = sounds[0].dim(1);
  for (const Tensor& sound : sounds) {
    if (sound.dim(1) != channels) {
      throw ValueError(
          "audio_dataset_from_directory: a batch has files with {} and with {} channels.", channels,
          sound.dim(1));
    }
    longest = std::max(longest, sound.dim(0));
  }
  Tensor batch = Tensor::zeros(DType::float32, {std::ssize(sounds), longest, channels});
  float* to = batch.mutable_data<float>();
  for (const Tensor& sound : sounds) {
    std::copy_n(sound.data<float>(), sound.size(), to);
    to += longest * channels;
  }
  return batch;
}

DirectoryDataset make_sounds(FileIndex index, const AudioDatasetOptions& o) {
  if (o.sampling_rate && *o.sampling_rate <= 0) {
    throw ValueError("`sampling_rate` should be higher than 0. Received: sampling_rate={}",
                     *o.sampling_rate);
  }
  const Dataset rows = batches_of_rows(index, o.batch_size, o.shuffle, o.seed);
  const auto shared = std::make_shared<const FileIndex>(std::move(index));
  Dataset sounds = rows.map([shared, o](const Nest& element) -> Nest {
    const std::vector<size_t> chosen = rows_of(element);
    Tensors batch;
    for (const size_t row : chosen) batch.push_back(read_audio(*shared, row, o).samples);
    const bool batched = o.batch_size.has_value();
    const Tensor audio = batched ? padded(batch) : batch[0];
    if (o.label_mode == "none") return audio;
    return std::vector<Nest>{audio, encode_labels(*shared, chosen, o.label_mode, batched)};
  });
  return {sounds.prefetch(2), shared->class_names, shared->paths(), shared->labels};
}

}  // namespace

DirectoryDataset audio_dataset_from_directory(const std::string& directory,
                                              const AudioDatasetOptions& options) {
  return make_sounds(chosen_index(directory, audio_index_options(options)), options);
}

std::pair<DirectoryDataset, DirectoryDataset> audio_datasets_from_directory(
    const std::string& directory, AudioDatasetOptions options) {
  options.subset.clear();
  SplitIndex split = index_files(directory, audio_index_options(options), /*both=*/true);
  DirectoryDataset training = make_sounds(std::move(split.training), options);
  options.shuffle = false;
  return {std::move(training), make_sounds(std::move(split.validation), options)};
}

}  // namespace antler::data
