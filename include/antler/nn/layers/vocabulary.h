#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/nn/initializer.h"

namespace antler {

/// Reads a vocabulary for lookup layers from a UTF-8 file, one token per line. Keras accepts the
/// path itself as `vocabulary`:
///
///     StringLookup({.vocabulary = read_vocabulary("words.txt")})
///
/// Ignores empty lines at the end. Throws NotFoundError if there is no file.
std::vector<std::string> read_vocabulary(const std::string& path);

/// The same for the contents of such a file.
std::vector<std::string> vocabulary_lines(std::string_view text);

/// Embeddings [tokens, n] for a new vocabulary (Keras 2's keras.utils.warmstart_embedding_matrix).
/// Tokens of the base vocabulary keep their rows (the last one if a token occurs twice); other rows
/// are drawn from the initializer. Throws ValueError if `base_embeddings` has fewer rows than
/// `base_vocabulary` has tokens.
Tensor warmstart_embedding_matrix(const std::vector<std::string>& base_vocabulary,
                                  const std::vector<std::string>& new_vocabulary,
                                  const Tensor& base_embeddings,
                                  const Initializer& new_embeddings_initializer = "uniform");

}  // namespace antler
