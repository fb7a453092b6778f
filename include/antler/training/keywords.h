#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/data/fit_data.h"
#include "antler/nn/layer.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/optional_list.h"
#include "antler/nn/sizes.h"
#include "antler/training/compile_arguments.h"
#include "antler/training/fit_options.h"

namespace antler {

// Keywords only name these types; a program that uses one includes the header of its class.
class EdgeSizes;
class FactorRange;
struct FeatureCross;
class FeatureSpec;
class Ngrams;
class PerChannel;
namespace metrics {
class Thresholds;
}

/// The inputs of fit(), evaluate() and predict() by keyword.
struct InputKeyword {
  FitData x;  ///< kw::x
};
/// The targets of fit() and evaluate() by keyword.
struct TargetKeyword {
  Arrays y;  ///< kw::y
};
/// Whether the keywords include `x`.
template <class... K>
concept KeywordsWithInput = (K::template is_field_of<InputKeyword>() || ...);

// Each defines a keyword and the type by which it finds the field of that name in options.
#define ANTLER_KEYWORD_FIELD_(name)                                   \
  struct name##_field {                                               \
    static constexpr const char* kName = #name;                       \
    template <class Options>                                          \
    static auto field(Options& options) -> decltype((options.name)) { \
      return options.name;                                            \
    }                                                                 \
  };
#define ANTLER_KEYWORD(name)  \
  ANTLER_KEYWORD_FIELD_(name) \
  inline constexpr Keyword<name##_field> name;
#define ANTLER_BRACES_KEYWORD(name, ...) \
  ANTLER_KEYWORD_FIELD_(name)            \
  inline constexpr Keyword<name##_field, __VA_ARGS__> name;
#define ANTLER_TYPED_KEYWORD(name, ...) \
  ANTLER_KEYWORD_FIELD_(name)           \
  inline constexpr TypedKeyword<name##_field, __VA_ARGS__> name;

/// Python's keyword arguments, in any order:
///
///     Conv2D(8, 3, kw::padding = "same", kw::activation = "relu");
///     model.fit(x, y, kw::validation_data = {x_val, y_val}, kw::epochs = 5);
///
/// An options struct in braces does the same, but its fields must be in the order of declaration.
/// Every function with options takes one keyword, and nearly all take any number.
namespace kw {
// Named like Python's arguments, although constants are named kName elsewhere.
// NOLINTBEGIN(readability-identifier-naming)

// clang-format off

// Arguments of layers.
ANTLER_KEYWORD(activation) ANTLER_KEYWORD(activity_regularizer) ANTLER_KEYWORD(all_ops)
ANTLER_KEYWORD(autocast) ANTLER_KEYWORD(a_initializer)
ANTLER_KEYWORD(alpha_constraint) ANTLER_KEYWORD(alpha_initializer) ANTLER_KEYWORD(alpha_regularizer)
ANTLER_KEYWORD(antialias) ANTLER_KEYWORD(backward_layer) ANTLER_KEYWORD(batch_size)
ANTLER_KEYWORD(b_initializer)
ANTLER_KEYWORD(beta_constraint) ANTLER_KEYWORD(beta_initializer) ANTLER_KEYWORD(beta_regularizer)
ANTLER_KEYWORD(bias_axes) ANTLER_KEYWORD(bias_constraint) ANTLER_KEYWORD(bias_initializer)
ANTLER_KEYWORD(bias_regularizer) ANTLER_KEYWORD(bins) ANTLER_KEYWORD(bounding_box_format)
ANTLER_KEYWORD(cell) ANTLER_KEYWORD(cells) ANTLER_KEYWORD(center) ANTLER_KEYWORD(chain_depth)
ANTLER_KEYWORD(clip_limit) ANTLER_KEYWORD(crop_to_aspect_ratio) ANTLER_KEYWORD(data_format)
ANTLER_KEYWORD(depth_multiplier) ANTLER_KEYWORD(depthwise_constraint)
ANTLER_KEYWORD(depthwise_initializer) ANTLER_KEYWORD(depthwise_regularizer) ANTLER_KEYWORD(dropout)
ANTLER_KEYWORD(dtype) ANTLER_KEYWORD(embedding_initializer) ANTLER_KEYWORD(embeddings_constraint)
ANTLER_KEYWORD(embeddings_initializer) ANTLER_KEYWORD(embeddings_regularizer)
ANTLER_KEYWORD(encoding) ANTLER_KEYWORD(epsilon) ANTLER_KEYWORD(equation)
ANTLER_KEYWORD(eviction_policy) ANTLER_KEYWORD(expand_dims) ANTLER_KEYWORD(fft_length)
ANTLER_KEYWORD(fill_mode) ANTLER_KEYWORD(fill_value)
ANTLER_KEYWORD(flash_attention) ANTLER_KEYWORD(frame_length) ANTLER_KEYWORD(frame_step)
ANTLER_KEYWORD(gamma_constraint) ANTLER_KEYWORD(gamma_initializer) ANTLER_KEYWORD(gamma_regularizer)
ANTLER_KEYWORD(go_backwards) ANTLER_KEYWORD(gptq_unpacked_column_size) ANTLER_KEYWORD(groups)
ANTLER_KEYWORD(head_dim) ANTLER_KEYWORD(height) ANTLER_KEYWORD(implementation)
ANTLER_KEYWORD(init_values) ANTLER_KEYWORD(initial_vocabulary) ANTLER_KEYWORD(input_dim)
ANTLER_KEYWORD(input_length) ANTLER_KEYWORD(interpolation) ANTLER_KEYWORD(invert)
ANTLER_KEYWORD(keepdims) ANTLER_KEYWORD(kernel) ANTLER_KEYWORD(kernel_constraint)
ANTLER_KEYWORD(kernel_initializer) ANTLER_KEYWORD(kernel_regularizer) ANTLER_KEYWORD(key_dim)
ANTLER_KEYWORD(l1) ANTLER_KEYWORD(l2) ANTLER_KEYWORD(layer) ANTLER_KEYWORD(logit_soft_cap)
ANTLER_KEYWORD(lora_alpha) ANTLER_KEYWORD(lora_rank) ANTLER_KEYWORD(mag_exp)
ANTLER_KEYWORD(mask_token) ANTLER_KEYWORD(mask_value) ANTLER_KEYWORD(mask_zero)
ANTLER_KEYWORD(max_freq) ANTLER_KEYWORD(max_number) ANTLER_KEYWORD(max_tokens)
ANTLER_KEYWORD(max_value) ANTLER_KEYWORD(merge_mode) ANTLER_KEYWORD(min_freq)
ANTLER_KEYWORD(min_power) ANTLER_KEYWORD(mode) ANTLER_KEYWORD(momentum)
ANTLER_KEYWORD(moving_mean_initializer) ANTLER_KEYWORD(moving_variance_initializer)
ANTLER_KEYWORD(n) ANTLER_KEYWORD(name) ANTLER_KEYWORD(negative_slope) ANTLER_KEYWORD(normalize)
ANTLER_KEYWORD(num_bins) ANTLER_KEYWORD(num_chains) ANTLER_KEYWORD(num_heads)
ANTLER_KEYWORD(num_key_value_heads) ANTLER_KEYWORD(num_mel_bins) ANTLER_KEYWORD(num_oov_indices)
ANTLER_KEYWORD(num_ops) ANTLER_KEYWORD(num_query_heads) ANTLER_KEYWORD(num_tokens)
ANTLER_KEYWORD(oov_method) ANTLER_KEYWORD(oov_token) ANTLER_KEYWORD(optional)
ANTLER_KEYWORD(output_dim) ANTLER_KEYWORD(output_mode) ANTLER_KEYWORD(output_sequence_length)
ANTLER_KEYWORD(pad_to_aspect_ratio) ANTLER_KEYWORD(pad_to_max_tokens) ANTLER_KEYWORD(periodic)
ANTLER_KEYWORD(pointwise_constraint) ANTLER_KEYWORD(pointwise_initializer)
ANTLER_KEYWORD(pointwise_regularizer) ANTLER_KEYWORD(power_iterations) ANTLER_KEYWORD(power_to_db)
ANTLER_KEYWORD(projection_dim) ANTLER_KEYWORD(quantization_config) ANTLER_KEYWORD(ragged)
ANTLER_KEYWORD(rate) ANTLER_KEYWORD(recurrent_activation) ANTLER_KEYWORD(recurrent_constraint)
ANTLER_KEYWORD(recurrent_dropout) ANTLER_KEYWORD(recurrent_initializer)
ANTLER_KEYWORD(recurrent_regularizer) ANTLER_KEYWORD(ref_power) ANTLER_KEYWORD(renorm)
ANTLER_KEYWORD(renorm_clipping) ANTLER_KEYWORD(renorm_momentum) ANTLER_KEYWORD(reset_after)
ANTLER_KEYWORD(return_sequences) ANTLER_KEYWORD(return_state) ANTLER_KEYWORD(reverse_dtype)
ANTLER_KEYWORD(rms_scaling) ANTLER_KEYWORD(sampling_rate) ANTLER_KEYWORD(scaling)
ANTLER_KEYWORD(score_mode) ANTLER_KEYWORD(seed) ANTLER_KEYWORD(sequence_length)
ANTLER_KEYWORD(sequence_stride) ANTLER_KEYWORD(sliding_window)
ANTLER_KEYWORD(sparse) ANTLER_KEYWORD(split) ANTLER_KEYWORD(standardize) ANTLER_KEYWORD(stateful)
ANTLER_KEYWORD(stddev) ANTLER_KEYWORD(supports_masking) ANTLER_KEYWORD(synchronized)
ANTLER_KEYWORD(theta) ANTLER_KEYWORD(threshold) ANTLER_KEYWORD(tie_weights) ANTLER_KEYWORD(top_db)
ANTLER_KEYWORD(trainable) ANTLER_KEYWORD(unit_forget_bias) ANTLER_KEYWORD(units)
ANTLER_KEYWORD(unroll) ANTLER_KEYWORD(use_bias) ANTLER_KEYWORD(use_cudnn) ANTLER_KEYWORD(use_gate)
ANTLER_KEYWORD(use_scale) ANTLER_KEYWORD(value_dim) ANTLER_KEYWORD(vocabulary_dtype)
ANTLER_KEYWORD(vocabulary_size) ANTLER_KEYWORD(width) ANTLER_KEYWORD(window)
ANTLER_KEYWORD(zero_output_for_mask)

// Arguments of optimizers, losses, metrics and other objects of layers.
ANTLER_KEYWORD(initial_learning_rate) ANTLER_KEYWORD(decay_steps)
ANTLER_KEYWORD(first_decay_steps) ANTLER_KEYWORD(decay_rate)
ANTLER_KEYWORD(adam_beta_1) ANTLER_KEYWORD(adam_beta_2) ANTLER_KEYWORD(adam_lr_ratio)
ANTLER_KEYWORD(adam_weight_decay) ANTLER_KEYWORD(aggregation) ANTLER_KEYWORD(amsgrad)
ANTLER_KEYWORD(anchor_format) ANTLER_KEYWORD(apply_class_balancing) ANTLER_KEYWORD(approximate)
ANTLER_KEYWORD(average) ANTLER_KEYWORD(beta) ANTLER_KEYWORD(beta_1) ANTLER_KEYWORD(beta_2)
ANTLER_KEYWORD(beta_2_decay) ANTLER_KEYWORD(blend) ANTLER_KEYWORD(box_format)
ANTLER_KEYWORD(centered) ANTLER_KEYWORD(class_aggregation) ANTLER_KEYWORD(class_id)
ANTLER_KEYWORD(clip_threshold) ANTLER_KEYWORD(clipnorm) ANTLER_KEYWORD(clipvalue)
ANTLER_KEYWORD(color_mapping) ANTLER_KEYWORD(combiner) ANTLER_KEYWORD(constraint)
ANTLER_KEYWORD(curve) ANTLER_KEYWORD(cycle) ANTLER_KEYWORD(default_value) ANTLER_KEYWORD(delta)
ANTLER_KEYWORD(distribution) ANTLER_KEYWORD(dynamic_growth_steps) ANTLER_KEYWORD(ema_momentum)
ANTLER_KEYWORD(ema_overwrite_frequency) ANTLER_KEYWORD(encoding_format)
ANTLER_KEYWORD(end_learning_rate) ANTLER_KEYWORD(epsilon_1) ANTLER_KEYWORD(epsilon_2)
ANTLER_KEYWORD(exclude_embeddings) ANTLER_KEYWORD(exclude_layers) ANTLER_KEYWORD(from_logits)
ANTLER_KEYWORD(from_sorted_ids) ANTLER_KEYWORD(gain) ANTLER_KEYWORD(gamma)
ANTLER_KEYWORD(global_clipnorm) ANTLER_KEYWORD(gradient_accumulation_steps)
ANTLER_KEYWORD(ignore_class) ANTLER_KEYWORD(ignore_index) ANTLER_KEYWORD(image_shape)
ANTLER_KEYWORD(initial_accumulator_value) ANTLER_KEYWORD(initial_scale) ANTLER_KEYWORD(initializer)
ANTLER_KEYWORD(input_axes) ANTLER_KEYWORD(k) ANTLER_KEYWORD(l1_regularization_strength)
ANTLER_KEYWORD(l2_regularization_strength) ANTLER_KEYWORD(l2_shrinkage_regularization_strength)
ANTLER_KEYWORD(label_smoothing) ANTLER_KEYWORD(label_weights) ANTLER_KEYWORD(learning_rate)
ANTLER_KEYWORD(learning_rate_power) ANTLER_KEYWORD(loss_scale_factor) ANTLER_KEYWORD(m_mul)
ANTLER_KEYWORD(margin) ANTLER_KEYWORD(mask) ANTLER_KEYWORD(mask_val) ANTLER_KEYWORD(max_norm)
ANTLER_KEYWORD(maxval) ANTLER_KEYWORD(min_value) ANTLER_KEYWORD(minval) ANTLER_KEYWORD(multi_label)
ANTLER_KEYWORD(muon_a) ANTLER_KEYWORD(muon_b) ANTLER_KEYWORD(muon_c) ANTLER_KEYWORD(nesterov)
ANTLER_KEYWORD(ns_steps) ANTLER_KEYWORD(num_classes)
ANTLER_KEYWORD(num_labels) ANTLER_KEYWORD(num_oov_buckets) ANTLER_KEYWORD(num_regressors)
ANTLER_KEYWORD(num_thresholds) ANTLER_KEYWORD(output_axes) ANTLER_KEYWORD(output_size_threshold)
ANTLER_KEYWORD(power) ANTLER_KEYWORD(precision) ANTLER_KEYWORD(q) ANTLER_KEYWORD(recall)
ANTLER_KEYWORD(reduction) ANTLER_KEYWORD(regularizer) ANTLER_KEYWORD(relative_step)
ANTLER_KEYWORD(remove_diagonal) ANTLER_KEYWORD(rho) ANTLER_KEYWORD(rms_rate)
ANTLER_KEYWORD(sensitivity) ANTLER_KEYWORD(side) ANTLER_KEYWORD(sparse_y_pred)
ANTLER_KEYWORD(sparse_y_true) ANTLER_KEYWORD(specificity) ANTLER_KEYWORD(staircase)
ANTLER_KEYWORD(summation_method) ANTLER_KEYWORD(synchronization) ANTLER_KEYWORD(t_mul)
ANTLER_KEYWORD(top_k) ANTLER_KEYWORD(training) ANTLER_KEYWORD(use_ema) ANTLER_KEYWORD(use_masking)
ANTLER_KEYWORD(value) ANTLER_KEYWORD(warmup_steps) ANTLER_KEYWORD(warmup_target)
ANTLER_KEYWORD(weight_decay)

// Arguments of callbacks.
ANTLER_KEYWORD(append) ANTLER_KEYWORD(backup_dir) ANTLER_KEYWORD(baseline) ANTLER_KEYWORD(cooldown)
ANTLER_KEYWORD(delete_checkpoint) ANTLER_KEYWORD(double_checkpoint) ANTLER_KEYWORD(embeddings_freq)
ANTLER_KEYWORD(embeddings_metadata) ANTLER_KEYWORD(field) ANTLER_KEYWORD(filename)
ANTLER_KEYWORD(filepath) ANTLER_KEYWORD(headers) ANTLER_KEYWORD(histogram_freq)
ANTLER_KEYWORD(initial_value_threshold) ANTLER_KEYWORD(log_dir) ANTLER_KEYWORD(min_delta)
ANTLER_KEYWORD(min_lr) ANTLER_KEYWORD(monitor) ANTLER_KEYWORD(on_batch_begin)
ANTLER_KEYWORD(on_batch_end) ANTLER_KEYWORD(on_epoch_begin) ANTLER_KEYWORD(on_epoch_end)
ANTLER_KEYWORD(on_predict_batch_begin) ANTLER_KEYWORD(on_predict_batch_end)
ANTLER_KEYWORD(on_predict_begin)
ANTLER_KEYWORD(on_predict_end) ANTLER_KEYWORD(on_test_batch_begin) ANTLER_KEYWORD(on_test_batch_end)
ANTLER_KEYWORD(on_test_begin) ANTLER_KEYWORD(on_test_end) ANTLER_KEYWORD(on_train_batch_begin)
ANTLER_KEYWORD(on_train_batch_end) ANTLER_KEYWORD(on_train_begin) ANTLER_KEYWORD(on_train_end)
ANTLER_KEYWORD(patience) ANTLER_KEYWORD(profile_batch) ANTLER_KEYWORD(raise_error)
ANTLER_KEYWORD(restore_best_weights) ANTLER_KEYWORD(root) ANTLER_KEYWORD(save_before_preemption)
ANTLER_KEYWORD(save_best_only) ANTLER_KEYWORD(save_freq) ANTLER_KEYWORD(save_weights_only)
ANTLER_KEYWORD(send_as_json) ANTLER_KEYWORD(separator) ANTLER_KEYWORD(start_from_epoch)
ANTLER_KEYWORD(swap_on_epoch) ANTLER_KEYWORD(update_freq) ANTLER_KEYWORD(verbose)
ANTLER_KEYWORD(write_graph) ANTLER_KEYWORD(write_images) ANTLER_KEYWORD(write_steps_per_second)

// Arguments of calls of layers.
ANTLER_KEYWORD(num_samples) ANTLER_KEYWORD(use_causal_mask) ANTLER_KEYWORD(return_attention_scores) ANTLER_KEYWORD(attention_mask)
ANTLER_KEYWORD(query_mask) ANTLER_KEYWORD(value_mask) ANTLER_KEYWORD(key_mask)
ANTLER_KEYWORD(count_weights) ANTLER_KEYWORD(key)

// Arguments of clone_model().
ANTLER_KEYWORD(call_function) ANTLER_KEYWORD(clone_function) ANTLER_KEYWORD(recursive)

// Arguments of Optimizer::exclude_from_weight_decay().
ANTLER_BRACES_KEYWORD(var_names, std::vector<std::string>)
ANTLER_TYPED_KEYWORD(var_list, Variables)

// Arguments of GradientTape.
ANTLER_KEYWORD(persistent) ANTLER_KEYWORD(unconnected_gradients)
ANTLER_KEYWORD(watch_accessed_variables)

// Arguments of applications.
ANTLER_KEYWORD(classifier_activation) ANTLER_KEYWORD(dropout_rate)
ANTLER_KEYWORD(include_preprocessing) ANTLER_KEYWORD(include_top) ANTLER_KEYWORD(input_tensor)
ANTLER_KEYWORD(minimalistic) ANTLER_KEYWORD(pooling)

// Arguments of data sets.
ANTLER_KEYWORD(archive_format) ANTLER_KEYWORD(augment) ANTLER_KEYWORD(auto_shard_policy)
ANTLER_KEYWORD(brightness_range) ANTLER_KEYWORD(cache_dir) ANTLER_KEYWORD(cache_subdir)
ANTLER_KEYWORD(block_length) ANTLER_KEYWORD(categorical) ANTLER_KEYWORD(channel_axis) ANTLER_KEYWORD(channel_shift_range)
ANTLER_KEYWORD(char_level) ANTLER_KEYWORD(class_mode) ANTLER_KEYWORD(col_axis)
ANTLER_KEYWORD(color_mode) ANTLER_KEYWORD(cval) ANTLER_KEYWORD(cycle_length) ANTLER_KEYWORD(directory) ANTLER_KEYWORD(download)
ANTLER_KEYWORD(drop_remainder) ANTLER_KEYWORD(end_index) ANTLER_KEYWORD(extract)
ANTLER_KEYWORD(featurewise_center) ANTLER_KEYWORD(featurewise_std_normalization)
ANTLER_KEYWORD(file_hash) ANTLER_KEYWORD(fname) ANTLER_KEYWORD(follow_links)
ANTLER_KEYWORD(force_download) ANTLER_KEYWORD(hash_algorithm) ANTLER_KEYWORD(height_shift_range)
ANTLER_KEYWORD(horizontal_flip) ANTLER_KEYWORD(ignore_class_split) ANTLER_KEYWORD(index_from)
ANTLER_KEYWORD(interpolation_order) ANTLER_KEYWORD(keep_aspect_ratio) ANTLER_KEYWORD(label_mode)
ANTLER_KEYWORD(labels) ANTLER_KEYWORD(left_size) ANTLER_KEYWORD(lower) ANTLER_KEYWORD(max_length)
ANTLER_KEYWORD(max_queue_size) ANTLER_KEYWORD(maxlen) ANTLER_KEYWORD(md5_hash)
ANTLER_KEYWORD(misc) ANTLER_KEYWORD(negative_samples) ANTLER_KEYWORD(num_parallel_calls) ANTLER_KEYWORD(num_words)
ANTLER_KEYWORD(oov_char) ANTLER_KEYWORD(order) ANTLER_KEYWORD(origin) ANTLER_KEYWORD(path)
ANTLER_KEYWORD(experimental_distribute) ANTLER_KEYWORD(filter) ANTLER_KEYWORD(preprocessing_function)
ANTLER_KEYWORD(rescale) ANTLER_KEYWORD(reshuffle_each_iteration) ANTLER_KEYWORD(reverse)
ANTLER_KEYWORD(right_size) ANTLER_KEYWORD(rotation_range) ANTLER_KEYWORD(rounds)
ANTLER_KEYWORD(row_axis) ANTLER_KEYWORD(samplewise_center)
ANTLER_KEYWORD(samplewise_std_normalization) ANTLER_KEYWORD(sampling_table)
ANTLER_KEYWORD(save_format) ANTLER_KEYWORD(save_prefix) ANTLER_KEYWORD(save_to_dir)
ANTLER_KEYWORD(shear) ANTLER_KEYWORD(shear_range) ANTLER_KEYWORD(shift) ANTLER_KEYWORD(skip_top)
ANTLER_KEYWORD(start_char) ANTLER_KEYWORD(start_index) ANTLER_KEYWORD(stride) ANTLER_KEYWORD(subset)
ANTLER_KEYWORD(test_fraction) ANTLER_KEYWORD(test_split) ANTLER_KEYWORD(truncating)
ANTLER_KEYWORD(tx) ANTLER_KEYWORD(ty) ANTLER_KEYWORD(untar) ANTLER_KEYWORD(use_multiprocessing)
ANTLER_KEYWORD(validate_filenames) ANTLER_KEYWORD(validation_split) ANTLER_KEYWORD(vertical_flip)
ANTLER_KEYWORD(weight_col) ANTLER_KEYWORD(width_shift_range) ANTLER_KEYWORD(window_size)
ANTLER_KEYWORD(workers) ANTLER_KEYWORD(x_col) ANTLER_KEYWORD(y_col) ANTLER_KEYWORD(zca_epsilon)
ANTLER_KEYWORD(zca_whitening) ANTLER_KEYWORD(zoom_range) ANTLER_KEYWORD(zx) ANTLER_KEYWORD(zy)

// Arguments of models.
ANTLER_KEYWORD(to_file) ANTLER_KEYWORD(by_name) ANTLER_KEYWORD(change_spe_interval) ANTLER_KEYWORD(change_threshold)
ANTLER_KEYWORD(safe_mode) ANTLER_KEYWORD(checkpoint_dir) ANTLER_KEYWORD(compile)
ANTLER_KEYWORD(crossing_dim) ANTLER_KEYWORD(dpi) ANTLER_KEYWORD(epochs)
ANTLER_KEYWORD(expand_nested) ANTLER_KEYWORD(format)
ANTLER_KEYWORD(hashing_dim) ANTLER_KEYWORD(include_optimizer) ANTLER_KEYWORD(index)
ANTLER_KEYWORD(initial_epoch) ANTLER_KEYWORD(interval) ANTLER_KEYWORD(line_length)
ANTLER_KEYWORD(max_evaluations) ANTLER_KEYWORD(num_batch_splits)
ANTLER_KEYWORD(num_discretization_bins) ANTLER_KEYWORD(overwrite) ANTLER_KEYWORD(poll_seconds)
ANTLER_KEYWORD(rankdir) ANTLER_KEYWORD(reset_metrics) ANTLER_KEYWORD(return_dict)
ANTLER_KEYWORD(show_dtype) ANTLER_KEYWORD(show_layer_activations) ANTLER_KEYWORD(show_layer_names)
ANTLER_KEYWORD(print_fn) ANTLER_KEYWORD(show_shapes) ANTLER_KEYWORD(show_trainable) ANTLER_KEYWORD(skip_mismatch)
ANTLER_KEYWORD(decimals) ANTLER_KEYWORD(include_special_tokens) ANTLER_KEYWORD(ref_embeddings)
ANTLER_KEYWORD(ref_labels) ANTLER_KEYWORD(top) ANTLER_KEYWORD(work)
ANTLER_KEYWORD(steps) ANTLER_KEYWORD(steps_per_epoch) ANTLER_KEYWORD(termination_config)
ANTLER_KEYWORD(validation_batch_size) ANTLER_KEYWORD(validation_steps)

// Arguments of ops.
ANTLER_KEYWORD(N) ANTLER_KEYWORD(atol) ANTLER_KEYWORD(axis1) ANTLER_KEYWORD(axis2)
ANTLER_KEYWORD(axisa) ANTLER_KEYWORD(axisb) ANTLER_KEYWORD(axisc) ANTLER_KEYWORD(b)
ANTLER_KEYWORD(base) ANTLER_KEYWORD(beam_width) ANTLER_KEYWORD(bias) ANTLER_KEYWORD(bottom_cropping)
ANTLER_KEYWORD(bottom_padding) ANTLER_KEYWORD(constant_values)
ANTLER_KEYWORD(descending) ANTLER_KEYWORD(dx) ANTLER_KEYWORD(endpoint) ANTLER_KEYWORD(equal_nan)
ANTLER_KEYWORD(exclusive) ANTLER_KEYWORD(filter_sigma) ANTLER_KEYWORD(filter_size)
ANTLER_KEYWORD(full_matrices) ANTLER_KEYWORD(increasing) ANTLER_KEYWORD(indexing)
ANTLER_KEYWORD(is_causal) ANTLER_KEYWORD(k1) ANTLER_KEYWORD(k2) ANTLER_KEYWORD(left_cropping)
ANTLER_KEYWORD(left_padding) ANTLER_KEYWORD(length) ANTLER_KEYWORD(mask_index)
ANTLER_KEYWORD(max_val) ANTLER_KEYWORD(maximum_iterations) ANTLER_KEYWORD(merge_repeated)
ANTLER_KEYWORD(method) ANTLER_KEYWORD(minlength) ANTLER_KEYWORD(nan) ANTLER_KEYWORD(neginf)
ANTLER_KEYWORD(num) ANTLER_KEYWORD(num_segments) ANTLER_KEYWORD(ord) ANTLER_KEYWORD(posinf)
ANTLER_KEYWORD(range) ANTLER_KEYWORD(rcond) ANTLER_KEYWORD(repeats)
ANTLER_KEYWORD(right_cropping)
ANTLER_KEYWORD(right_padding) ANTLER_KEYWORD(rtol) ANTLER_KEYWORD(sorted) ANTLER_KEYWORD(strategy)
ANTLER_KEYWORD(target_height) ANTLER_KEYWORD(target_width) ANTLER_KEYWORD(tol)
ANTLER_KEYWORD(top_cropping) ANTLER_KEYWORD(top_padding) ANTLER_KEYWORD(top_paths)
ANTLER_KEYWORD(upper) ANTLER_KEYWORD(x_max) ANTLER_KEYWORD(x_min)

// Arguments of files.
ANTLER_KEYWORD(call_endpoint) ANTLER_KEYWORD(call_training_endpoint) ANTLER_KEYWORD(checkpoint_name)
ANTLER_KEYWORD(expect_partial) ANTLER_KEYWORD(keep_checkpoint_every_n_hours)
ANTLER_KEYWORD(keras_version) ANTLER_KEYWORD(max_to_keep)

// Arguments of compile(), fit() and others whose values are converted at once.
ANTLER_TYPED_KEYWORD(inputs, Nest)
ANTLER_TYPED_KEYWORD(input_tensors, Nest)
ANTLER_TYPED_KEYWORD(outputs, Nest)
ANTLER_TYPED_KEYWORD(y_pred, Nest)
ANTLER_TYPED_KEYWORD(batch_shape, OptionalShape)
ANTLER_TYPED_KEYWORD(optimizer, OptimizerSpec)
ANTLER_TYPED_KEYWORD(loss, LossSpec)
ANTLER_TYPED_KEYWORD(loss_weights, LossWeights)
ANTLER_TYPED_KEYWORD(metrics, MetricSpec)
ANTLER_TYPED_KEYWORD(weighted_metrics, MetricSpec)
ANTLER_TYPED_KEYWORD(run_eagerly, std::optional<bool>)
ANTLER_TYPED_KEYWORD(steps_per_execution, StepsPerExecutionSpec)
ANTLER_TYPED_KEYWORD(jit_compile, std::optional<bool>)
ANTLER_TYPED_KEYWORD(pss_evaluation_shards, EvaluationShards)
ANTLER_TYPED_KEYWORD(auto_scale_loss, bool)
ANTLER_TYPED_KEYWORD(callbacks, Callbacks)
ANTLER_TYPED_KEYWORD(validation_data, ValidationData)
ANTLER_TYPED_KEYWORD(validation_freq, ValidationFrequency)
ANTLER_TYPED_KEYWORD(custom_objects, CustomObjects)
ANTLER_TYPED_KEYWORD(attention_axes, Sizes)
ANTLER_TYPED_KEYWORD(pool_size, Sizes)
ANTLER_TYPED_KEYWORD(output_padding, Sizes)
ANTLER_TYPED_KEYWORD(output_size, Sizes)
ANTLER_TYPED_KEYWORD(input_shape, OptionalShape)
ANTLER_TYPED_KEYWORD(target_shape, Shape)
ANTLER_TYPED_KEYWORD(value_range, std::vector<double>)
ANTLER_TYPED_KEYWORD(dims, std::vector<int64_t>)
ANTLER_TYPED_KEYWORD(noise_shape, OptionalShape)
ANTLER_TYPED_KEYWORD(shared_axes, OptionalList<int64_t>)
ANTLER_TYPED_KEYWORD(bin_boundaries, OptionalList<double>)
ANTLER_TYPED_KEYWORD(idf_weights, OptionalList<double>)
ANTLER_TYPED_KEYWORD(ngrams, Ngrams)
ANTLER_TYPED_KEYWORD(salt, IntegerList)
ANTLER_TYPED_KEYWORD(tile_grid_size, std::vector<int64_t>)
ANTLER_TYPED_KEYWORD(target_class_ids, std::vector<int64_t>)
ANTLER_TYPED_KEYWORD(thresholds, metrics::Thresholds)
ANTLER_TYPED_KEYWORD(class_names, std::vector<std::string>)
ANTLER_TYPED_KEYWORD(image_size, std::pair<int64_t, int64_t>)
ANTLER_TYPED_KEYWORD(stateful_metrics, std::vector<std::string>)
ANTLER_TYPED_KEYWORD(layer_names, std::vector<std::string>)
ANTLER_TYPED_KEYWORD(height_factor, FactorRange)
ANTLER_TYPED_KEYWORD(width_factor, FactorRange)
ANTLER_TYPED_KEYWORD(brightness_factor, FactorRange)
ANTLER_TYPED_KEYWORD(contrast_factor, FactorRange)
ANTLER_TYPED_KEYWORD(saturation_factor, FactorRange)
ANTLER_TYPED_KEYWORD(hue_factor, FactorRange)
ANTLER_TYPED_KEYWORD(addition_factor, FactorRange)
ANTLER_TYPED_KEYWORD(threshold_factor, FactorRange)
ANTLER_TYPED_KEYWORD(x_factor, FactorRange)
ANTLER_TYPED_KEYWORD(y_factor, FactorRange)
ANTLER_TYPED_KEYWORD(arguments, std::vector<std::pair<std::string, CallValue>>)

// Arguments whose type depends on the class; the type here is that of values in braces.
ANTLER_BRACES_KEYWORD(strides, IntegersInBraces)
ANTLER_BRACES_KEYWORD(dilation_rate, IntegersInBraces)
ANTLER_BRACES_KEYWORD(kernel_size, IntegersInBraces)
ANTLER_BRACES_KEYWORD(axis, IntegersInBraces)
ANTLER_BRACES_KEYWORD(axes, IntegersInBraces)
ANTLER_BRACES_KEYWORD(size, IntegersInBraces)
ANTLER_BRACES_KEYWORD(features, std::vector<std::pair<std::string, FeatureSpec>>)
ANTLER_BRACES_KEYWORD(crosses, std::vector<FeatureCross>)
ANTLER_BRACES_KEYWORD(feature_names, std::vector<std::string>)
ANTLER_BRACES_KEYWORD(factor, FactorRange)
ANTLER_BRACES_KEYWORD(scale, PerChannel)
ANTLER_BRACES_KEYWORD(offset, PerChannel)
ANTLER_BRACES_KEYWORD(alpha, ClassWeights)
ANTLER_BRACES_KEYWORD(class_weight, ClassWeights)
ANTLER_BRACES_KEYWORD(sample_weight, Arrays, Tensor)
ANTLER_BRACES_KEYWORD(x, FitData)
ANTLER_BRACES_KEYWORD(y, Arrays)
ANTLER_BRACES_KEYWORD(weights, Tensors)
ANTLER_BRACES_KEYWORD(vocabulary, OptionalList<std::string>, OptionalList<int64_t>)
ANTLER_BRACES_KEYWORD(classes, std::vector<std::string>)
ANTLER_BRACES_KEYWORD(filters, std::vector<std::string>)
ANTLER_BRACES_KEYWORD(output_shape, Shape)
ANTLER_BRACES_KEYWORD(shape, Shape)
ANTLER_BRACES_KEYWORD(padding, EdgeSizes)
ANTLER_BRACES_KEYWORD(cropping, EdgeSizes)
ANTLER_BRACES_KEYWORD(mean, Tensor)
ANTLER_BRACES_KEYWORD(normalizer, Tensor)
ANTLER_BRACES_KEYWORD(variance, std::vector<double>)
ANTLER_BRACES_KEYWORD(initial_state, Nest)
ANTLER_BRACES_KEYWORD(sigma, std::array<Tensor, 2>)
ANTLER_BRACES_KEYWORD(target_size, std::pair<int64_t, int64_t>)
ANTLER_BRACES_KEYWORD(shuffle, ShuffleSpec)
// clang-format on
// NOLINTEND(readability-identifier-naming)
}  // namespace kw

#undef ANTLER_KEYWORD_FIELD_
#undef ANTLER_KEYWORD
#undef ANTLER_BRACES_KEYWORD
#undef ANTLER_TYPED_KEYWORD
}  // namespace antler
