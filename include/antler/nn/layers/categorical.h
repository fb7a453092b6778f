#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/adaptable.h"
#include "antler/nn/optional_list.h"

/// Layers that turn values into categories and categories into vectors.
namespace antler {

namespace ops {
class HostFunction;
}

/// Options of CategoryEncoding.
struct CategoryEncodingOptions {
  int64_t num_tokens = 0;                 ///< categories are 0 .. num_tokens - 1
  std::string output_mode = "multi_hot";  ///< or "one_hot", "count"
  bool sparse = false;                    ///< accepted; the output is dense
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Encodes integers [batch, n] as [batch, num_tokens]. With "count", a second input of the same
/// shape may hold weights.
class CategoryEncoding : public LayerOf<CategoryEncoding, CategoryEncodingOptions> {
 public:
  /// Throws ValueError for num_tokens < 1 or an unknown mode.
  explicit CategoryEncoding(int64_t num_tokens, CategoryEncodingOptions options = {});
  explicit CategoryEncoding(const CategoryEncodingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(CategoryEncoding, CategoryEncodingOptions, int64_t)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  CallSignature call_signature() const override;
  Json get_config() const override;
};

/// Options of Discretization.
struct DiscretizationOptions {
  OptionalList<double> bin_boundaries = {};  ///< ascending
  std::optional<int64_t> num_bins = {};      ///< adapt() then finds the boundaries
  double epsilon = 0.01;            ///< fraction of the data per value in adapt()'s summary
  std::string output_mode = "int";  ///< or "one_hot", "multi_hot", "count"
  bool sparse = false;              ///< accepted; the output is dense
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Index of the bin of each number: the count of boundaries that are not larger. int32 under "int".
class Discretization : public LayerOf<Discretization, DiscretizationOptions>, public Adaptable {
 public:
  /// Throws ValueError unless exactly one of bin_boundaries and num_bins is given.
  explicit Discretization(const DiscretizationOptions& options);
  ANTLER_KEYWORD_CONSTRUCTOR(Discretization, DiscretizationOptions)
  /// From get_config(), which holds both of them after adapt().
  static Discretization from_config(const Json& config);
  /// Chooses the boundaries so that num_bins bins hold about equally many values.
  void adapt(const Tensor& data) override;
  using Adaptable::adapt;
  /// Throws ValueError before adapt().
  const std::vector<double>& bin_boundaries() const;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  std::shared_ptr<std::optional<std::vector<double>>> boundaries_;  ///< shared by copies
};

/// A value of Hashing's input that is not hashed.
using HashingMask = std::variant<int64_t, std::string>;

/// Options of Hashing.
struct HashingOptions {
  int64_t num_bins = 0;                        ///< number of results
  std::optional<HashingMask> mask_value = {};  ///< mapped to bin 0, which is reserved
  IntegerList salt = {};                       ///< one or two numbers: SipHash instead of FarmHash
  std::string output_mode = "int";             ///< or "one_hot", "multi_hot", "count"
  bool sparse = false;                         ///< accepted; the output is dense
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};  ///< not given: "int64" under "int", else "float32"
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// The bin of each integer or string: a hash of the string, or of the integer in decimal. Inside
/// models strings are handles (string_handles()), so uint64 inputs are treated as handles.
class Hashing : public LayerOf<Hashing, HashingOptions>, public TakesStrings {
 public:
  /// Throws ValueError for num_bins < 1, an unknown mode, or a salt of more than two numbers.
  explicit Hashing(int64_t num_bins, HashingOptions options = {});
  explicit Hashing(const HashingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Hashing, HashingOptions, int64_t)
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Tensor call_strings(const StringTensor& input) override;
  Tensor operator()(const StringTensor& input) { return call_strings(input); }
  Tensor operator()(std::initializer_list<const char*> input) { return call_strings(input); }
  using Layer::operator();

 private:
  Tensor encode(const Tensor& bins) const;
  std::shared_ptr<const ops::HostFunction> map_;  ///< handles to bins
};

/// Options of HashedCrossing.
struct HashedCrossingOptions {
  int64_t num_bins = 0;             ///< number of results
  std::string output_mode = "int";  ///< or "one_hot"
  bool sparse = false;              ///< accepted; the output is dense
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};  ///< not given: "int64" under "int", else "float32"
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Bin of each tuple of features. Takes two or more inputs of integers or handles of strings, each
/// [batch], [batch, 1] or a scalar.
class HashedCrossing : public LayerOf<HashedCrossing, HashedCrossingOptions> {
 public:
  explicit HashedCrossing(int64_t num_bins, HashedCrossingOptions options = {});
  explicit HashedCrossing(const HashedCrossingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(HashedCrossing, HashedCrossingOptions, int64_t)
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  /// The same for strings.
  Tensor call_strings(const std::vector<StringTensor>& inputs);
  Json get_config() const override;

 private:
  Tensor encode(const Tensor& bins) const;
};

}  // namespace antler
