"""Recurrent layers: a general loop, and Antler's LSTM and GRU if they compute the same."""

from antler import _core
from keras.src import tree
from keras.src.backend.common.dtypes import result_type
from keras_antler.core import cast
from keras_antler.core import convert_to_tensor


def _swap_batch_and_time(x):
    return _core.swapaxes(x, 0, 1)


def _fit(mask, x):
    """A mask [batch, 1] with the rank of x."""
    return _core.reshape(mask, mask.shape[:1] + (1,) * (x.ndim - 1))


def rnn(
    step_function,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=None,
    unroll=False,
    input_length=None,
    time_major=False,
    zero_output_for_mask=False,
    return_all_outputs=True,
):
    inputs = tree.map_structure(convert_to_tensor, inputs)
    initial_states = tree.map_structure(convert_to_tensor, initial_states)
    if not time_major:
        inputs = tree.map_structure(_swap_batch_and_time, inputs)
    xs = tree.flatten(inputs)
    if mask is not None:
        mask = cast(convert_to_tensor(mask), "bool")
        if mask.ndim == 2:
            mask = _core.expand_dims(mask, -1)
        if not time_major:
            mask = _swap_batch_and_time(mask)
        xs = xs + [_core.any(mask, -1, True)]
    if unroll and not xs[0].shape[0]:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    constants = tuple(constants or ())
    dtypes = [state.dtype for state in tree.flatten(initial_states)]
    output_structure = None

    def masked_output(output, states, previous):
        """What a masked step returns instead of its output."""
        if previous is not None:
            return previous
        if not zero_output_for_mask:
            # By convention the first state; for stacked cells, the first state of the last cell.
            state = states[-1][0] if tree.is_nested(states[0]) else states[0]
            if state.shape == output.shape:
                return cast(state, output.dtype)
        return _core.zeros_like(output)

    def step(state_leaves, x_leaves, previous=None):
        """`previous`: the last outputs of an unrolled loop, none for the first step."""
        nonlocal output_structure
        states = tree.pack_sequence_as(initial_states, state_leaves)
        keep = None
        if mask is not None:
            *x_leaves, keep = x_leaves
        x = tree.pack_sequence_as(inputs, x_leaves)
        arguments = tuple(states) + constants if constants else states
        output_structure, new_states = step_function(x, arguments)
        outputs = [convert_to_tensor(output) for output in tree.flatten(output_structure)]
        # The dtypes of a loop's states must not change.
        new_states = [
            cast(state, dtype) for state, dtype in zip(tree.flatten(new_states), dtypes)
        ]
        if keep is not None:
            if previous is None:
                previous = [None] * len(outputs)
            outputs = [
                _core.where(_fit(keep, y), y, masked_output(y, states, old))
                for y, old in zip(outputs, previous or map(_core.zeros_like, outputs))
            ]
            new_states = [
                _core.where(_fit(keep, new), new, old)
                for new, old in zip(new_states, state_leaves)
            ]
        return new_states, outputs

    states = tree.flatten(initial_states)
    if unroll:
        ys = []
        slices = list(zip(*[_core.unstack(x) for x in xs]))
        for x_leaves in reversed(slices) if go_backwards else slices:
            states, y = step(states, x_leaves, ys[-1] if ys else [])
            ys.append(y)
        sequences = [_core.stack(list(steps)) for steps in zip(*ys)]
        last = ys[-1]
    else:
        states, sequences = _core.scan(step, states, xs, reverse=go_backwards)
        last = [y[0] if go_backwards else y[-1] for y in sequences]
        if go_backwards:  # Keras wants the rows in processing order
            sequences = [_core.flip(y, 0) for y in sequences]
    if not return_all_outputs:
        sequences = [_core.expand_dims(y, 0) for y in last]
    if not time_major:
        sequences = [_swap_batch_and_time(y) for y in sequences]
    return (
        tree.pack_sequence_as(output_structure, last),
        tree.pack_sequence_as(output_structure, sequences),
        tree.pack_sequence_as(initial_states, states),
    )


def cudnn_ok(*args, **kwargs):
    return False


def _is_standard(activation, recurrent_activation, mask, unroll):
    """Whether the layer is what Antler's fused layers compute."""
    from keras.src import activations
    from keras.src import ops

    return (
        mask is None
        and not unroll
        and activation in (activations.tanh, ops.tanh)
        and recurrent_activation in (activations.sigmoid, ops.sigmoid)
    )


def _in_one_dtype(inputs, kernel, *others):
    inputs = convert_to_tensor(inputs)
    kernel = convert_to_tensor(kernel)
    dtype = result_type(inputs.dtype, kernel.dtype)
    others = [None if t is None else convert_to_tensor(t, dtype) for t in others]
    return cast(inputs, dtype), cast(kernel, dtype), *others


def _results(sequence, last, states, return_sequences, go_backwards):
    if not return_sequences:
        return last, _core.expand_dims(last, 1), states
    # Row t belongs to step t of the input, but Keras wants the rows in processing order.
    return last, _core.flip(sequence, 1) if go_backwards else sequence, states


def lstm(
    inputs,
    initial_state_h,
    initial_state_c,
    mask,
    kernel,
    recurrent_kernel,
    bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    go_backwards=False,
    unroll=False,
):
    if not _is_standard(activation, recurrent_activation, mask, unroll):
        raise NotImplementedError
    x, kernel, recurrent_kernel, bias, h0, c0 = _in_one_dtype(
        inputs, kernel, recurrent_kernel, bias, initial_state_h, initial_state_c
    )
    sequence, h, c = _core.lstm(x, h0, c0, kernel, recurrent_kernel, bias, go_backwards)
    return _results(sequence, h, [h, c], return_sequences, go_backwards)


def gru(
    inputs,
    initial_state,
    mask,
    kernel,
    recurrent_kernel,
    bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    go_backwards=False,
    unroll=False,
    reset_after=True,
):
    if not _is_standard(activation, recurrent_activation, mask, unroll):
        raise NotImplementedError
    x, kernel, recurrent_kernel, bias, h0 = _in_one_dtype(
        inputs, kernel, recurrent_kernel, bias, initial_state
    )
    sequence, h = _core.gru(x, h0, kernel, recurrent_kernel, bias, reset_after, go_backwards)
    return _results(sequence, h, [h], return_sequences, go_backwards)


def _in_time_order(result, return_sequences):
    last, sequence, states = result
    return last, _core.flip(sequence, 1) if return_sequences else sequence, states


def bidirectional_lstm(
    inputs,
    fwd_initial_state_h,
    fwd_initial_state_c,
    bwd_initial_state_h,
    bwd_initial_state_c,
    mask,
    fwd_kernel,
    fwd_recurrent_kernel,
    fwd_bias,
    bwd_kernel,
    bwd_recurrent_kernel,
    bwd_bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    unroll=False,
):
    options = (activation, recurrent_activation, return_sequences)
    forward = lstm(
        inputs,
        fwd_initial_state_h,
        fwd_initial_state_c,
        mask,
        fwd_kernel,
        fwd_recurrent_kernel,
        fwd_bias,
        *options,
        unroll=unroll,
    )
    backward = lstm(
        inputs,
        bwd_initial_state_h,
        bwd_initial_state_c,
        mask,
        bwd_kernel,
        bwd_recurrent_kernel,
        bwd_bias,
        *options,
        go_backwards=True,
        unroll=unroll,
    )
    return forward, _in_time_order(backward, return_sequences)


def bidirectional_gru(
    inputs,
    fwd_initial_state,
    bwd_initial_state,
    mask,
    fwd_kernel,
    fwd_recurrent_kernel,
    fwd_bias,
    bwd_kernel,
    bwd_recurrent_kernel,
    bwd_bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    unroll=False,
    reset_after=True,
):
    options = (activation, recurrent_activation, return_sequences)
    forward = gru(
        inputs,
        fwd_initial_state,
        mask,
        fwd_kernel,
        fwd_recurrent_kernel,
        fwd_bias,
        *options,
        unroll=unroll,
        reset_after=reset_after,
    )
    backward = gru(
        inputs,
        bwd_initial_state,
        mask,
        bwd_kernel,
        bwd_recurrent_kernel,
        bwd_bias,
        *options,
        go_backwards=True,
        unroll=unroll,
        reset_after=reset_after,
    )
    return forward, _in_time_order(backward, return_sequences)
