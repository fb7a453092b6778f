#!/usr/bin/env python3
"""Writes tests/data/sequence_layer_calls.json: recurrent, attention and wrapper layers in real Keras (3.x, TensorFlow).

    KERAS_BACKEND=tensorflow python3 tools/sequence_layer_calls.py

Inputs and weights follow the formulas of layer_calls.py; float tensors in a call's arguments count as further inputs.
"masks" are the masks that inputs carry; masks passed as arguments are in "arguments". Gradients are of
mean(square(output)), summed over outputs, with respect to trainable weights, inputs and float arguments.
"""
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L
from keras.src import backend

from golden import make_input, make_weight, numbers, write_cases


def array(x):
    x = np.asarray(x)
    return {"dtype": str(x.dtype), "shape": list(x.shape), "values": x.astype("float64").ravel().tolist()}


def flatten(x):
    return keras.tree.flatten(x)


class Slot:
    """A float tensor in the arguments."""

    def __init__(self, *shape):
        self.shape = shape


def run(case_id, layer, shapes, training=False, masks=None, one_by_one=False, calls=1, **arguments):
    xs = [make_input(k, s) for k, s in enumerate(shapes)]
    masks = masks or [None] * len(xs)
    slots = [v for v in flatten(arguments) if isinstance(v, Slot)]
    extra = [make_input(len(xs) + k, s.shape) for k, s in enumerate(slots)]

    def arguments_with(values):
        at = {id(s): v for s, v in zip(slots, values)}
        return keras.tree.map_structure(lambda v: at.get(id(v), v), arguments)

    def call(xs, extra, how):
        xs = [tf.convert_to_tensor(x) for x in xs]
        for x, mask in zip(xs, masks):
            if mask is not None:
                backend.set_keras_mask(x, tf.convert_to_tensor(mask))
        options = arguments_with(extra)
        if "training" in layer.call_signature_parameters:
            options["training"] = training
        return how(*xs, **options) if one_by_one else how(xs[0] if len(xs) == 1 else xs, **options)

    call(xs, extra, layer)
    for k, w in enumerate(layer.weights):
        value = make_weight(k, w.shape)
        w.assign(value + 1 if w.name == "moving_variance" else value)
    if getattr(layer, "stateful", False):
        layer.reset_state()
    if calls > 1:  # a stateful layer: no gradients
        out = [o for _ in range(calls) for o in flatten(call(xs, extra, layer))]
        out_masks, gradients = [], None
    else:
        xs, extra = [tf.convert_to_tensor(x) for x in xs], [tf.convert_to_tensor(x) for x in extra]
        with tf.GradientTape() as tape:
            for x in xs + extra:
                tape.watch(x)
            out = flatten(call(xs, extra, layer))
            loss = sum(tf.reduce_mean(tf.square(tf.cast(o, "float32"))) for o in out)
        sources = [w.value for w in layer.trainable_variables] + xs + extra
        gradients = tape.gradient(loss, sources, unconnected_gradients="zero")
        out_masks = [backend.get_keras_mask(o) for o in out]

    def describe(v):
        if isinstance(v, Slot):
            return {"slot": list(v.shape)}
        return array(v) if isinstance(v, np.ndarray) else v

    return {
        "id": case_id,
        "class_name": keras.saving.serialize_keras_object(layer)["class_name"],
        "config": layer.get_config(),
        "inputs": [list(s) for s in shapes],
        "training": training,
        "masks": [None if m is None else array(m) for m in masks],
        "arguments": keras.tree.map_structure(describe, arguments),
        "calls": calls,
        "weights": [["/".join(w.path.split("/")[1:]), list(w.shape)] for w in layer.weights],
        "outputs": [array_of_numbers(o) for o in out],
        "out_masks": [None if m is None else array(m) for m in out_masks],
        "state": [numbers(w.value) for w in layer.non_trainable_variables if w.dtype == "float32"],
        "gradients": gradients and [numbers(g) for g in gradients],
    }


def array_of_numbers(x):
    x = np.asarray(x)
    return {"dtype": str(x.dtype), "shape": list(x.shape), "values": numbers(x)}


X = (2, 4, 3)
MASK = np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool)
M3 = np.array([[1, 1, 0], [1, 0, 1]], bool)
M4 = np.array([[1, 0, 1, 1], [1, 1, 0, 0]], bool)


def recurrent():
    for name in ("SimpleRNN", "LSTM", "GRU"):
        make = getattr(L, name)
        low = name.lower()
        states = [Slot(2, 2), Slot(2, 2)] if name == "LSTM" else [Slot(2, 2)]
        yield run(low, make(2), [X])
        yield run(low + "_sequences_state", make(2, return_sequences=True, return_state=True), [X])
        yield run(low + "_backwards_sequences", make(2, return_sequences=True, go_backwards=True), [X])
        yield run(low + "_backwards_masked", make(2, go_backwards=True, return_state=True), [X], masks=[MASK])
        yield run(low + "_masked", make(2), [X], mask=MASK)
        yield run(low + "_masked_sequences", make(2, return_sequences=True), [X], masks=[MASK])
        yield run(low + "_masked_zero_output", make(2, return_sequences=True, zero_output_for_mask=True), [X],
                  masks=[MASK])
        yield run(low + "_masked_zero_output_last", make(2, zero_output_for_mask=True), [X], masks=[MASK])
        yield run(low + "_masked_initial_state", make(2, return_sequences=True, return_state=True), [X], masks=[MASK],
                  initial_state=states)
        yield run(low + "_initial_state", make(2), [X], initial_state=states)
        yield run(low + "_unrolled_masked", make(2, unroll=True, return_sequences=True), [X], masks=[MASK])
        yield run(low + "_unrolled_backwards", make(2, unroll=True, go_backwards=True), [X])
        yield run(low + "_no_bias", make(2, use_bias=False, unroll=True), [X])
        yield run(low + "_relu", make(2, activation="relu", return_sequences=True), [X])
        yield run(low + "_stateful", make(2, stateful=True), [X], calls=3)
        yield run(low + "_one_step", make(2, return_sequences=True), [(2, 1, 3)])
    yield run("lstm_other_activations", L.LSTM(2, activation="softsign", recurrent_activation="hard_sigmoid"), [X])
    yield run("lstm_linear", L.LSTM(2, activation=None), [X])
    yield run("lstm_implementation1", L.LSTM(2, implementation=1), [X])
    yield run("gru_reset_before", L.GRU(2, reset_after=False, return_sequences=True), [X])
    yield run("gru_reset_before_no_bias", L.GRU(2, reset_after=False, use_bias=False, return_state=True), [X])
    yield run("gru_reset_before_masked", L.GRU(2, reset_after=False), [X], masks=[MASK])
    yield run("gru_reset_before_relu", L.GRU(2, reset_after=False, activation="relu"), [X])
    yield run("gru_implementation1", L.GRU(2, implementation=1), [X])
    yield run("gru_stateful_masked", L.GRU(2, stateful=True, return_state=True), [X], mask=MASK, calls=2)
    yield run("lstm_stateful_initial_state", L.LSTM(2, stateful=True), [X], calls=2,
              initial_state=[Slot(2, 2), Slot(2, 2)])
    yield run("rnn_lstm_cell", L.RNN(L.LSTMCell(2), return_sequences=True, return_state=True), [X])
    yield run("rnn_gru_cell_masked", L.RNN(L.GRUCell(2, reset_after=False)), [X], masks=[MASK])
    yield run("rnn_simple_cell_backwards", L.RNN(L.SimpleRNNCell(2), go_backwards=True, return_sequences=True), [X])
    stack = lambda: L.StackedRNNCells([L.LSTMCell(2), L.GRUCell(3), L.SimpleRNNCell(2)])
    yield run("rnn_stacked", L.RNN(stack(), return_sequences=True, return_state=True), [X])
    yield run("rnn_stacked_masked", L.RNN(stack()), [X], masks=[MASK])
    yield run("rnn_stacked_unrolled", L.RNN(stack(), unroll=True), [X])
    yield run("rnn_stacked_initial_state", L.RNN(stack(), return_state=True), [X],
              initial_state=[[Slot(2, 2), Slot(2, 2)], [Slot(2, 3)], [Slot(2, 2)]])
    yield run("rnn_stacked_same_cells", L.RNN([L.LSTMCell(2), L.LSTMCell(2)]), [X])
    yield run("lstm_unrolled_backwards_zero_output", L.LSTM(2, unroll=True, go_backwards=True, return_sequences=True,
              zero_output_for_mask=True), [X], masks=[MASK])
    yield run("simplernn_dropout_one", L.SimpleRNN(2, recurrent_dropout=1.0), [X], training=True)


def conv_lstm():
    yield run("conv_lstm1d", L.ConvLSTM1D(2, 2), [(1, 3, 4, 2)])
    yield run("conv_lstm1d_first_same", L.ConvLSTM1D(2, 3, padding="same", data_format="channels_first",
                                                     return_sequences=True), [(1, 3, 2, 4)])
    yield run("conv_lstm1d_dilated", L.ConvLSTM1D(2, 2, dilation_rate=2, go_backwards=True, return_sequences=True),
              [(1, 2, 5, 1)])
    yield run("conv_lstm2d_strides_state", L.ConvLSTM2D(1, (2, 3), strides=2, padding="same", return_state=True,
                                                        return_sequences=True), [(2, 2, 3, 4, 2)])
    yield run("conv_lstm2d_masked", L.ConvLSTM2D(1, 2, return_sequences=True), [(2, 4, 3, 3, 1)], masks=[MASK])
    yield run("conv_lstm2d_first_no_bias", L.ConvLSTM2D(2, 2, data_format="channels_first", use_bias=False,
                                                        strides=(1, 2)), [(1, 2, 1, 3, 4)])
    yield run("conv_lstm2d_initial_state", L.ConvLSTM2D(1, 2), [(1, 2, 3, 3, 1)],
              initial_state=[Slot(1, 2, 2, 1), Slot(1, 2, 2, 1)])
    yield run("conv_lstm2d_hard_sigmoid_unroll", L.ConvLSTM2D(1, 2, recurrent_activation="hard_sigmoid", unroll=True),
              [(1, 2, 3, 3, 1)])
    yield run("conv_lstm3d", L.ConvLSTM3D(1, 2, padding="same"), [(1, 2, 2, 3, 2, 1)])


def wrappers():
    for mode in ("concat", "sum", "mul", "ave", None):
        word = mode or "none"
        yield run(f"bidirectional_{word}", L.Bidirectional(L.LSTM(2), merge_mode=mode), [X])
        yield run(f"bidirectional_{word}_sequences",
                  L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode=mode), [X], masks=[MASK])
        yield run(f"bidirectional_{word}_state",
                  L.Bidirectional(L.SimpleRNN(2, return_state=True, return_sequences=True), merge_mode=mode), [X])
    yield run("bidirectional_masked_last", L.Bidirectional(L.LSTM(2)), [X], masks=[MASK])
    yield run("bidirectional_initial_state", L.Bidirectional(L.LSTM(2)), [X],
              initial_state=[Slot(2, 2), Slot(2, 2), Slot(2, 2), Slot(2, 2)])
    yield run("bidirectional_none_initial_state_masked",
              L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode=None), [X], masks=[MASK],
              initial_state=[Slot(2, 2), Slot(2, 2)])
    yield run("bidirectional_backward_layer",
              L.Bidirectional(L.LSTM(2, return_sequences=True),
                              backward_layer=L.GRU(3, go_backwards=True, return_sequences=True)), [X], masks=[MASK])
    yield run("bidirectional_forward_backwards", L.Bidirectional(
        L.GRU(2, go_backwards=True), backward_layer=L.GRU(2)), [X])
    yield run("bidirectional_rnn", L.Bidirectional(L.RNN(L.StackedRNNCells([L.LSTMCell(2), L.GRUCell(2)]))), [X])
    yield run("bidirectional_stateful", L.Bidirectional(L.GRU(2, stateful=True)), [X], calls=2)
    yield run("bidirectional_conv_lstm", L.Bidirectional(L.ConvLSTM1D(1, 2)), [(1, 2, 3, 2)])
    yield run("time_distributed_dense", L.TimeDistributed(L.Dense(2, activation="relu")), [X])
    yield run("time_distributed_conv1d", L.TimeDistributed(L.Conv1D(2, 2)), [(2, 2, 3, 2)])
    yield run("time_distributed_batch_norm", L.TimeDistributed(L.BatchNormalization()), [(3, 2, 2)], training=True)
    yield run("time_distributed_batch_norm_inference", L.TimeDistributed(L.BatchNormalization()), [(3, 2, 2)])
    yield run("time_distributed_lstm_masked", L.TimeDistributed(L.LSTM(2)), [(2, 2, 4, 3)],
              mask=np.stack([MASK, MASK[:, ::-1]], 1))
    yield run("time_distributed_dense_masked", L.TimeDistributed(L.Dense(2)), [X], masks=[MASK])
    yield run("time_distributed_twice", L.TimeDistributed(L.TimeDistributed(L.Dense(2))), [(2, 2, 2, 3)])
    yield run("time_distributed_global_pool", L.TimeDistributed(L.GlobalAveragePooling1D()), [(2, 2, 4, 3)],
              mask=np.stack([MASK, MASK[:, ::-1]], 1))


def attention():
    q, v, k = (2, 3, 4), (2, 4, 4), (2, 4, 4)
    for name in ("Attention", "AdditiveAttention"):
        low = "attention" if name == "Attention" else "additive_attention"
        make = getattr(L, name)
        yield run(low, make(), [q, v])
        yield run(low + "_key", make(use_scale=True), [q, v, k], return_attention_scores=True)
        yield run(low + "_no_scale_causal", make(use_scale=False), [q, v], use_causal_mask=True)
        yield run(low + "_masks", make(), [q, v], mask=[M3, M4])
        yield run(low + "_value_mask", make(), [q, v], mask=[None, M4])
        yield run(low + "_carried_masks", make(), [q, v, k], masks=[M3, M4, M4[::-1].copy()], use_causal_mask=True,
                  return_attention_scores=True)
        yield run(low + "_carried_value_mask", make(), [q, v], masks=[None, M4])
    yield run("attention_concat", L.Attention(score_mode="concat"), [q, v])
    yield run("attention_concat_scale", L.Attention(score_mode="concat", use_scale=True), [q, v, k],
              return_attention_scores=True)
    yield run("attention_value_dim", L.Attention(), [(2, 3, 4), (2, 4, 2), (2, 4, 4)])

    a34 = np.arange(24).reshape(2, 3, 4) % 5 != 0
    a33 = np.arange(18).reshape(2, 3, 3) % 4 != 0

    def multi_head(low, make):
        yield run(low, make(), [q, v], one_by_one=True)
        yield run(low + "_key_scores", make(), [q, v, k], one_by_one=True, return_attention_scores=True)
        yield run(low + "_no_bias_causal", make(use_bias=False), [q, q], one_by_one=True, use_causal_mask=True)
        yield run(low + "_causal_scores", make(), [q, v], one_by_one=True, use_causal_mask=True,
                  return_attention_scores=True)
        yield run(low + "_attention_mask", make(), [q, v], one_by_one=True, attention_mask=a34)
        yield run(low + "_attention_mask_scores", make(), [q, q], one_by_one=True, attention_mask=a33,
                  return_attention_scores=True, use_causal_mask=True)
        yield run(low + "_carried_masks", make(), [q, v, k], one_by_one=True, masks=[M3, M4, M4[::-1].copy()])
        yield run(low + "_carried_masks_scores", make(), [q, v], one_by_one=True, masks=[M3, M4],
                  return_attention_scores=True)
        yield run(low + "_given_masks", make(), [q, v, k], one_by_one=True, query_mask=M3, value_mask=M4,
                  key_mask=M4[::-1].copy())
        yield run(low + "_value_mask_carried", make(), [q, v], one_by_one=True, masks=[None, M4])
        yield run(low + "_sliding_window", make(sliding_window=2), [q, v], one_by_one=True)
        yield run(low + "_sliding_window_causal_mask", make(sliding_window=2), [q, v], one_by_one=True,
                  use_causal_mask=True, attention_mask=a34, return_attention_scores=True)
        yield run(low + "_gate", make(use_gate=True), [q, v], one_by_one=True)
        yield run(low + "_dropout_inference", make(dropout=0.4), [q, v], one_by_one=True, masks=[M3, M4])

    yield from multi_head("mha", lambda **o: L.MultiHeadAttention(2, 3, **o))
    yield from multi_head("gqa", lambda **o: L.GroupQueryAttention(2, 4, 2, **o))
    yield run("mha_value_dim_output_shape", L.MultiHeadAttention(2, 3, value_dim=2, output_shape=5), [q, v],
              one_by_one=True)
    yield run("mha_output_shape2", L.MultiHeadAttention(2, 2, output_shape=(2, 3), use_gate=True, value_dim=3), [q, v],
              one_by_one=True)
    yield run("mha_other_dims", L.MultiHeadAttention(1, 2), [(2, 3, 4), (2, 4, 2), (2, 4, 5)], one_by_one=True)
    images = (1, 2, 3, 4)
    yield run("mha_2d", L.MultiHeadAttention(2, 2), [images, images], one_by_one=True)
    yield run("mha_2d_axis1", L.MultiHeadAttention(2, 2, attention_axes=1), [images, images], one_by_one=True)
    yield run("mha_2d_axis2_scores", L.MultiHeadAttention(2, 2, attention_axes=(2,)), [images, images],
              one_by_one=True, return_attention_scores=True)
    yield run("mha_2d_negative_axis", L.MultiHeadAttention(2, 2, attention_axes=(-2,)), [images, images],
              one_by_one=True)
    yield run("mha_2d_axes_mask", L.MultiHeadAttention(2, 2, attention_axes=(1, 2)), [images, images],
              one_by_one=True, attention_mask=(np.arange(36).reshape(1, 2, 3, 2, 3) % 4 != 0))
    yield run("gqa_one_kv_head", L.GroupQueryAttention(3, 2, 1), [q, v], one_by_one=True)


if __name__ == "__main__":
    write_cases("sequence_layer_calls.json", f"Keras {keras.__version__}, TensorFlow {tf.__version__}",
                [*recurrent(), *conv_lstm(), *wrappers(), *attention()])
