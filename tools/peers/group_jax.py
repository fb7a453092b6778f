"""The loop of peer_jax.py over all processes: each has a part of the batch's rows, and all weights."""
from functools import partial

import jax
import numpy as np
import optax
from cases import CASES, load
from jax import lax
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from measure import run_training
from peer_jax import MODELS, make_optimizer, make_step

AXIS = "workers"


def mean_over_workers(flat):
    """The first link of an optimizer chain: the mean of the gradients, array by array or (flat) as one array."""
    def update(gradients, state, params=None):
        if not flat:
            return lax.pmean(gradients, AXIS), state
        values, restore = ravel_pytree(gradients)
        return restore(lax.pmean(values, AXIS)), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


def train(name, options):
    c = CASES[name]
    batch, steps, pack = c["batch"], c["steps"], options.get("scan", 1)
    mesh = Mesh(np.array(jax.devices()), AXIS)
    everywhere, divided = PartitionSpec(), PartitionSpec(AXIS)
    carry, packed, order_rng = None, None, np.random.default_rng(1)
    totals = np.zeros((), np.float32), np.zeros((), np.float32)

    def place(tree, spec):
        """Global arrays: each process holds its part of them, or all."""
        return jax.tree.map(lambda a: jax.make_array_from_process_local_data(NamedSharding(mesh, spec), np.asarray(a)), tree)

    x, y = place(load(name), divided)

    def first():
        nonlocal carry, packed
        params, state, forward = MODELS[c["kind"]](c, options)
        optimizer = optax.chain(mean_over_workers(options.get("flat")), make_optimizer(c))
        step = make_step(c, forward, optimizer, options.get("bf16"))

        def run(carry, x, y, order):
            if pack == 1:
                return step(carry, x[order[0]], y[order[0]])
            return lax.scan(lambda s, i: (step(s, x[i], y[i]), None), carry, order)[0]

        packed = partial(jax.jit, donate_argnums=0)(
            jax.shard_map(run, mesh=mesh, in_specs=(everywhere, divided, divided, divided), out_specs=everywhere, check_vma=False))
        carry = (params, optimizer.init(params), state, jax.random.PRNGKey(0), totals)
        carry = place(carry, everywhere)
        order = np.arange(pack * batch, dtype=np.int32).reshape(pack, batch)
        carry = jax.block_until_ready(packed(carry, x, y, place(order, divided)))

    def epoch():
        nonlocal carry
        carry = carry[:4] + (place(totals, everywhere),)
        rows = batch * steps
        order = order_rng.permutation(rows).astype(np.int32).reshape(-1, pack, batch)
        for chunk in order:
            carry = packed(carry, x, y, place(chunk, divided))
        return float(carry[4][0].addressable_data(0)) / steps

    run_training(c, pack, first, epoch)
