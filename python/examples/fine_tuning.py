#!/usr/bin/env python3
"""Fine-tunes a network of keras.applications: first a new head, then the last blocks too.

    KERAS_BACKEND=antler python fine_tuning.py [--weights imagenet] [--steps 10]

By default with random weights and images, at the real size, to see the speed.
"""

import argparse
import time

import keras
import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", help='"imagenet", which Keras downloads')
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    batch = 16
    x = np.random.default_rng(0).random((batch * options.steps, 128, 128, 3), "float32") * 255
    y = np.arange(len(x)) % 5

    base = keras.applications.MobileNetV2(
        input_shape=(128, 128, 3), include_top=False, weights=options.weights, pooling="avg"
    )
    base.trainable = False
    inputs = keras.Input((128, 128, 3))
    features = base(keras.applications.mobilenet_v2.preprocess_input(inputs), training=False)
    outputs = keras.layers.Dense(5, activation="softmax")(features)
    model = keras.Model(inputs, outputs)

    for name, trained, rate in (("head", 0, 1e-3), ("last 30 layers", 30, 1e-5)):
        for layer in base.layers[len(base.layers) - trained :]:
            layer.trainable = True
        model.compile(keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
        model.fit(x[:batch], y[:batch], batch_size=batch, verbose=0)  # compiles
        start = time.perf_counter()
        history = model.fit(x, y, batch_size=batch, verbose=0).history
        seconds = (time.perf_counter() - start) / options.steps
        print(f"{name}: {1e3 * seconds:.0f} ms per step, loss {history['loss'][-1]:.3f}")


if __name__ == "__main__":
    main()
