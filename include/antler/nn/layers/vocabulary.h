#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/nn/initializer.h"

namespace antler {

/// The tokens of a file of UTF-8, one a line, for lookup layers; what Keras's `vocabulary` means
/// where it is a path:
///
///     StringLookup({.vocabulary = read_vocabulary("words.txt")})
///
/// Empty lines at the end are none. Throws NotFoundError where there is no file.
std::vector<std::string> read_vocabulary(const std::string& path);

/// The same for a text that was read already.
std::vector<std::string> vocabulary_lines(std::string_view text);

/// The embeddings [tokens, n] of a vocabulary for another one: rows of tokens that both have are
/// taken over (the last row of a token that comes twice), others drawn from the initializer (Keras
/// 2's keras.utils.warmstart_embedding_matrix). Vocabularies in files are read_vocabulary(path).
/// Throws ValueError for embeddings that are not one row per token.
Tensor warmstart_embedding_matrix(const std::vector<std::string>& base_vocabulary,
                                  const std::vector<std::string>& new_vocabulary,
                                  const Tensor& base_embeddings,
                                  const Initializer& new_embeddings_initializer = "uniform");

}  // namespace antler
