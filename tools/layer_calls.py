#!/usr/bin/env python3
"""Writes tests/data/layer_calls.json: what real Keras (3.x, backend JAX) computes for small layers.

    KERAS_BACKEND=jax python3 tools/layer_calls.py

The tests use the same formulas for inputs and weights, so that only configurations and results are stored:
    input k, element j:   ((5 j + 3 + k) mod 13 - 6) / 5          (integer inputs: (5 j + 3 + k) mod 4)
    weight k, element j:  ((7 j + 3 k) mod 11 - 5) / 10           (variances and deviations: + 1)
    mask, element j:      j mod 3 != 1
Gradients are of mean(square(output)), summed over outputs, with respect to trainable weights and inputs.
"""
import keras
import numpy as np
from keras import layers as L
from keras.src.applications.convnext import LayerScale
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer

from golden import make_input, make_weight, numbers, write_cases


def make_mask(shape):
    return (np.arange(int(np.prod(shape))) % 3 != 1).reshape(shape)


# Weights that are never negative.
POSITIVE = ("moving_variance", "moving_stddev", "renorm_stddev")


def run(case_id, layer, shapes, training=False, dtype="float32", mask=None):
    import jax

    xs = [make_input(k, s, dtype) for k, s in enumerate(shapes)]
    single = len(xs) == 1
    layer(xs[0] if single else xs)
    for k, w in enumerate(layer.weights):
        value = make_weight(k, w.shape)
        w.assign(value + 1 if w.name in POSITIVE else value)
    trainable = [w.value for w in layer.trainable_variables]
    state = [w.value for w in layer.non_trainable_variables]

    def loss(trainable, xs):
        options = {"training": training} if "training" in layer.call_signature_parameters else {}
        if mask is not None:
            options["mask"] = make_mask(mask)
        out, new_state = layer.stateless_call(trainable, state, xs[0] if single else xs, **options)
        return (out.astype("float32") ** 2).mean(), (out, new_state)

    argnums = (0, 1) if dtype == "float32" else 0
    grads, (out, new_state) = jax.grad(loss, argnums=argnums, has_aux=True)(trainable, [jax.numpy.asarray(x) for x in xs])
    weight_grads, input_grads = grads if dtype == "float32" else (grads, [])
    return {
        "id": case_id,
        "class_name": layer.__class__.__name__,
        "config": layer.get_config(),
        "inputs": [list(s) for s in shapes],
        "input_dtype": dtype,
        "training": training,
        "mask": mask,
        "weights": [[w.name, list(w.shape)] for w in layer.weights],
        "output_shape": list(out.shape),
        "output": numbers(out),
        "state": [numbers(s) for s in new_state],
        "gradients": [numbers(g) for g in weight_grads] + [numbers(g) for g in input_grads],
    }


def cases():
    yield run("dense", L.Dense(3), [(2, 4)])
    yield run("dense_rank3_relu_no_bias", L.Dense(2, activation="relu", use_bias=False), [(2, 3, 4)])
    yield run("dense_softmax", L.Dense(3, activation="softmax"), [(2, 4)])
    yield run("embedding", L.Embedding(4, 3), [(2, 3)], dtype="int32")
    yield run("conv1d_valid", L.Conv1D(2, 3), [(2, 6, 2)])
    yield run("conv1d_causal_dilated", L.Conv1D(2, 2, padding="causal", dilation_rate=2), [(1, 6, 2)])
    yield run("conv2d_same_strides", L.Conv2D(2, 3, strides=2, padding="same", activation="relu"), [(1, 5, 4, 2)])
    yield run("conv2d_groups_dilated", L.Conv2D(4, (2, 1), groups=2, dilation_rate=(2, 1)), [(1, 4, 2, 4)])
    yield run("conv2d_channels_first", L.Conv2D(2, 2, data_format="channels_first"), [(1, 2, 3, 3)])
    yield run("conv3d", L.Conv3D(1, 2, use_bias=False), [(1, 3, 2, 2, 2)])
    for name in ("MaxPooling", "AveragePooling"):
        snake = "max" if name == "MaxPooling" else "average"
        yield run(f"{snake}_pooling1d", getattr(L, name + "1D")(2), [(2, 5, 2)])
        yield run(f"{snake}_pooling2d_same", getattr(L, name + "2D")(3, strides=2, padding="same"), [(1, 4, 5, 2)])
        yield run(f"{snake}_pooling2d_channels_first", getattr(L, name + "2D")(2, data_format="channels_first"),
                  [(1, 2, 4, 4)])
        yield run(f"{snake}_pooling3d", getattr(L, name + "3D")((2, 1, 2)), [(1, 2, 2, 4, 2)])
    for name in ("GlobalMaxPooling", "GlobalAveragePooling"):
        snake = "global_max" if name == "GlobalMaxPooling" else "global_average"
        yield run(f"{snake}_pooling1d", getattr(L, name + "1D")(), [(2, 3, 2)])
        yield run(f"{snake}_pooling2d_keepdims", getattr(L, name + "2D")(keepdims=True), [(2, 2, 3, 2)])
        yield run(f"{snake}_pooling3d_channels_first", getattr(L, name + "3D")(data_format="channels_first"),
                  [(2, 2, 2, 1, 3)])
    yield run("flatten", L.Flatten(), [(2, 2, 3)])
    yield run("flatten_channels_first", L.Flatten(data_format="channels_first"), [(2, 2, 3, 2)])
    yield run("flatten_rank1", L.Flatten(), [(3,)])
    yield run("reshape_inferred", L.Reshape((3, -1)), [(2, 2, 6)])
    yield run("dropout_inference", L.Dropout(0.5), [(2, 3)])
    yield run("dropout_rate_one", L.Dropout(1.0), [(2, 3)], training=True)
    yield run("batch_normalization_inference", L.BatchNormalization(), [(3, 2)])
    yield run("batch_normalization_training", L.BatchNormalization(momentum=0.9), [(4, 3)], training=True)
    yield run("batch_normalization_images", L.BatchNormalization(epsilon=0.01), [(2, 2, 3, 2)], training=True)
    yield run("batch_normalization_axis1_no_scale", L.BatchNormalization(axis=1, scale=False), [(2, 2, 3)],
              training=True)
    yield run("batch_normalization_frozen", L.BatchNormalization(trainable=False), [(3, 2)], training=True)
    yield run("layer_normalization", L.LayerNormalization(), [(2, 3, 4)])
    yield run("layer_normalization_axes", L.LayerNormalization(axis=[1, 2], epsilon=0.01), [(2, 3, 2)])
    yield run("layer_normalization_axis1_no_center", L.LayerNormalization(axis=1, center=False), [(2, 3, 2)])
    yield run("activation_tanh", L.Activation("tanh"), [(2, 3)])
    yield run("re_lu_all", L.ReLU(max_value=0.9, negative_slope=0.1, threshold=0.3), [(2, 7)])
    yield run("re_lu", L.ReLU(), [(2, 7)])
    yield run("softmax", L.Softmax(), [(2, 4)])
    yield run("softmax_axis1", L.Softmax(axis=1), [(2, 3, 2)])
    yield run("rescaling", L.Rescaling(0.5, offset=-1.0), [(2, 3)])
    for name in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
        yield run(name.lower(), getattr(L, name)(), [(2, 3), (2, 3), (2, 3)])
    yield run("add_broadcast", L.Add(), [(2, 3, 4), (2, 4), (2, 1, 4)])
    yield run("subtract", L.Subtract(), [(2, 3), (2, 3)])
    yield run("concatenate", L.Concatenate(), [(2, 3), (2, 2)])
    yield run("concatenate_axis1", L.Concatenate(axis=1), [(2, 3, 2), (2, 1, 2)])
    yield from convolutions()
    yield from normalizations()
    yield from reshapings()
    yield from poolings()
    yield from others()


def convolutions():
    yield run("conv1d_channels_first_causal", L.Conv1D(2, 2, padding="causal", data_format="channels_first"),
              [(1, 2, 5)])
    yield run("conv1d_transpose", L.Conv1DTranspose(2, 3, strides=2), [(1, 3, 2)])
    yield run("conv1d_transpose_dilated_same", L.Conv1DTranspose(2, 3, dilation_rate=2, padding="same"), [(1, 4, 2)])
    yield run("conv1d_transpose_output_padding", L.Conv1DTranspose(1, 3, strides=3, output_padding=1, padding="same"),
              [(1, 3, 2)])
    yield run("conv2d_transpose_same", L.Conv2DTranspose(2, (3, 2), strides=(2, 3), padding="same", activation="relu"),
              [(1, 2, 3, 2)])
    yield run("conv2d_transpose_gap", L.Conv2DTranspose(1, 2, strides=3), [(1, 2, 2, 2)])
    yield run("conv2d_transpose_output_padding", L.Conv2DTranspose(1, 3, strides=2, output_padding=(1, 0)),
              [(1, 2, 2, 2)])
    yield run("conv2d_transpose_channels_first", L.Conv2DTranspose(2, 2, data_format="channels_first", use_bias=False),
              [(1, 3, 2, 2)])
    yield run("conv3d_transpose", L.Conv3DTranspose(1, 2, strides=(1, 2, 1), padding="same"), [(1, 2, 2, 2, 1)])
    yield run("depthwise_conv1d", L.DepthwiseConv1D(2, depth_multiplier=2, padding="same"), [(1, 4, 2)])
    yield run("depthwise_conv2d", L.DepthwiseConv2D(2, strides=2, activation="tanh"), [(1, 4, 5, 2)])
    yield run("depthwise_conv2d_dilated", L.DepthwiseConv2D((2, 1), dilation_rate=(2, 1), use_bias=False,
                                                            data_format="channels_first"), [(1, 2, 4, 2)])
    yield run("separable_conv1d", L.SeparableConv1D(3, 2, depth_multiplier=2, padding="same"), [(1, 4, 2)])
    yield run("separable_conv2d", L.SeparableConv2D(2, 2, strides=2, padding="same"), [(1, 3, 4, 2)])
    yield run("separable_conv2d_channels_first", L.SeparableConv2D(2, 2, data_format="channels_first"), [(1, 2, 3, 3)])
    yield run("conv2d_lora", L.Conv2D(2, 2, lora_rank=2, lora_alpha=3), [(1, 3, 3, 2)])


def normalizations():
    yield run("batch_normalization_mask", L.BatchNormalization(), [(2, 3, 2)], training=True, mask=(2, 3))
    yield run("batch_normalization_renorm",
              L.BatchNormalization(renorm=True, renorm_clipping={"rmax": 1.1, "rmin": 0.9, "dmax": 0.2}),
              [(4, 3)], training=True)
    yield run("batch_normalization_renorm_bare", L.BatchNormalization(renorm=True, center=False, scale=False),
              [(4, 3)], training=True)
    yield run("group_normalization", L.GroupNormalization(2), [(2, 3, 4)])
    yield run("group_normalization_axis1", L.GroupNormalization(3, axis=1, scale=False), [(2, 6, 2, 2)])
    yield run("group_normalization_instance", L.GroupNormalization(-1, center=False), [(2, 2, 3, 2)])
    yield run("unit_normalization", L.UnitNormalization(), [(2, 3)])
    yield run("unit_normalization_axes", L.UnitNormalization(axis=[1, 2]), [(2, 3, 2)])
    yield run("rms_normalization", L.RMSNormalization(), [(2, 3)])
    yield run("rms_normalization_axes", L.RMSNormalization(axis=(1, 2), epsilon=0.01), [(2, 3, 2)])
    yield run("layer_normalization_rms_scaling", L.LayerNormalization(rms_scaling=True), [(2, 4)])
    yield run("layer_normalization_bare", L.LayerNormalization(scale=False, center=False), [(2, 4)])
    yield run("spectral_normalization", L.SpectralNormalization(L.Dense(3), power_iterations=2), [(2, 4)])


def reshapings():
    yield run("permute", L.Permute((2, 3, 1)), [(2, 2, 3, 1)])
    yield run("repeat_vector", L.RepeatVector(3), [(2, 2)])
    yield run("cropping1d", L.Cropping1D((1, 2)), [(1, 5, 2)])
    yield run("cropping2d", L.Cropping2D(((1, 0), (0, 2))), [(1, 3, 4, 2)])
    yield run("cropping2d_channels_first", L.Cropping2D((1, 0), data_format="channels_first"), [(1, 2, 3, 2)])
    yield run("cropping3d", L.Cropping3D((1, 0, 1)), [(1, 3, 1, 4, 1)])
    yield run("zero_padding1d", L.ZeroPadding1D((0, 2)), [(1, 2, 2)])
    yield run("zero_padding1d_channels_first", L.ZeroPadding1D(1, data_format="channels_first"), [(1, 2, 2)])
    yield run("zero_padding2d", L.ZeroPadding2D((1, 2)), [(1, 1, 2, 2)])
    yield run("zero_padding3d", L.ZeroPadding3D(((0, 1), (1, 0), (0, 0)), data_format="channels_first"),
              [(1, 1, 2, 1, 2)])
    yield run("up_sampling1d", L.UpSampling1D(3), [(1, 2, 2)])
    yield run("up_sampling2d", L.UpSampling2D((1, 2)), [(1, 2, 2, 2)])
    yield run("up_sampling2d_channels_first", L.UpSampling2D(2, data_format="channels_first"), [(1, 2, 1, 2)])
    for kind in ("bilinear", "lanczos3", "lanczos5"):  # for bicubic see tests/golden_small
        yield run(f"up_sampling2d_{kind}", L.UpSampling2D((2, 3), interpolation=kind), [(1, 3, 4, 1)])
    yield run("up_sampling3d", L.UpSampling3D((2, 1, 2)), [(1, 2, 1, 1, 2)])


def poolings():
    for name in ("AdaptiveMaxPooling", "AdaptiveAveragePooling"):
        snake = "adaptive_max" if "Max" in name else "adaptive_average"
        yield run(f"{snake}_pooling1d", getattr(L, name + "1D")(3), [(1, 5, 2)])
        yield run(f"{snake}_pooling2d", getattr(L, name + "2D")((2, 3), data_format="channels_first"), [(1, 2, 3, 4)])
        yield run(f"{snake}_pooling3d", getattr(L, name + "3D")((1, 2, 1)), [(1, 2, 3, 2, 1)])
    yield run("global_average_pooling1d_mask", L.GlobalAveragePooling1D(), [(2, 3, 2)], mask=(2, 3))


def others():
    yield run("dense_lora", L.Dense(3, lora_rank=2), [(2, 4)])
    yield run("dense_options", L.Dense(2, kernel_regularizer="l2", bias_constraint="non_neg",
                                       kernel_initializer=keras.initializers.Constant(0.5)), [(2, 4)])
    yield run("embedding_lora", L.Embedding(4, 3, lora_rank=2, mask_zero=True), [(2, 3)], dtype="int32")
    yield run("reversible_embedding", L.ReversibleEmbedding(4, 3), [(2, 3)], dtype="int32")
    yield run("einsum_dense", L.EinsumDense("ab,bc->ac", 3, bias_axes="c"), [(2, 4)])
    yield run("einsum_dense_left", L.EinsumDense("...x,xy->...y", 2, bias_axes="y", activation="tanh"), [(2, 3, 4)])
    yield run("einsum_dense_right", L.EinsumDense("ab...,bc->ac...", 2, bias_axes="c"), [(2, 3, 2)])
    yield run("einsum_dense_heads", L.EinsumDense("abc,cde->abde", (None, 2, 2), bias_axes="de"), [(1, 2, 3)])
    yield run("einsum_dense_join", L.EinsumDense("abcd,cde->abe", (None, 3), bias_axes="e", lora_rank=1), [(1, 2, 2, 2)])
    yield run("masking", L.Masking(0.2), [(2, 3, 1)])
    yield run("identity", L.Identity(), [(2, 3)])
    yield run("leaky_re_lu", L.LeakyReLU(), [(2, 7)])
    yield run("p_re_lu", L.PReLU(), [(2, 5)])
    yield run("p_re_lu_shared", L.PReLU(shared_axes=[1, 2]), [(2, 2, 2, 3)])
    yield run("elu", L.ELU(alpha=0.7), [(2, 7)])
    yield run("softmax_axes", L.Softmax(axis=(1, 2)), [(2, 3, 2)])
    yield run("softmax_mask", L.Softmax(), [(2, 4)], mask=(2, 4))
    yield run("activity_regularization", L.ActivityRegularization(l1=0.1, l2=0.2), [(2, 3)])
    for name in ("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"):
        rank = int(name[-2])
        yield run(f"spatial_dropout{rank}d", getattr(L, name)(0.5), [(1,) + (2,) * (rank + 1)])
    yield run("gaussian_noise", L.GaussianNoise(0.5), [(2, 3)])
    yield run("gaussian_dropout", L.GaussianDropout(0.5), [(2, 3)])
    yield run("alpha_dropout", L.AlphaDropout(0.5, noise_shape=(None, 1)), [(2, 3)])
    yield run("dropout_noise_shape", L.Dropout(0.5, noise_shape=(None, 1)), [(2, 3)])
    yield run("dot", L.Dot(1), [(2, 3), (2, 3)])
    yield run("dot_axes", L.Dot((2, 1), normalize=True), [(2, 2, 3), (2, 3, 2)])
    yield run("average_broadcast", L.Average(), [(2, 3, 4), (2, 4)])
    scale = LayerScale(0.5, 3)
    scale.build((2, 2, 3))
    scale.gamma._name = "gamma"  # Keras appends a process-wide counter
    yield run("layer_scale", scale, [(2, 2, 3)])
    yield run("custom_scale_layer", CustomScaleLayer(0.3), [(2, 3), (2, 3)])


def main():
    import jax

    write_cases("layer_calls.json", f"Keras {keras.__version__}, JAX {jax.__version__}", cases())


if __name__ == "__main__":
    main()
