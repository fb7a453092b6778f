#!/usr/bin/env python3
"""A generative adversarial network of two small networks. Antler compiles its whole `train_step`,
which has two tapes.

    KERAS_BACKEND=antler python custom_train_step.py [--epochs 60]

The generator learns to draw points on a ring.
"""

import argparse

import antler
import keras
import numpy as np
from keras import layers, ops


class Gan(keras.Model):
    def __init__(self, latent=8):
        super().__init__()
        self.latent = latent
        self.seeds = keras.random.SeedGenerator(1)
        self.generator = keras.Sequential(
            [layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(2)]
        )
        self.discriminator = keras.Sequential(
            [layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(1)]
        )

    def compile(self, generator_optimizer, discriminator_optimizer):
        super().compile(optimizer=generator_optimizer)
        self.discriminator_optimizer = discriminator_optimizer
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

    def build(self, input_shape):
        self.generator.build((None, self.latent))
        self.discriminator.build((None, 2))
        # Optimizers must create their variables before the step is traced.
        self.optimizer.build(self.generator.trainable_variables)
        self.discriminator_optimizer.build(self.discriminator.trainable_variables)

    def draw(self, rows):
        return self.generator(keras.random.normal((rows, self.latent), seed=self.seeds))

    def call(self, real):
        return self.draw(ops.shape(real)[0])

    def train_step(self, real):
        rows = ops.shape(real)[0]
        labels = ops.concatenate([ops.ones((rows, 1)), ops.zeros((rows, 1))])
        with antler.GradientTape() as tape:
            points = ops.concatenate([real, self.draw(rows)])
            d_loss = self.loss_fn(labels, self.discriminator(points))
        variables = self.discriminator.trainable_variables
        self.discriminator_optimizer.apply_gradients(
            zip(tape.gradient(d_loss, variables), variables)
        )
        with antler.GradientTape() as tape:
            g_loss = self.loss_fn(ops.ones((rows, 1)), self.discriminator(self.draw(rows)))
        variables = self.generator.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(g_loss, variables), variables))
        return {"d_loss": d_loss, "g_loss": g_loss}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()
    keras.utils.set_random_seed(0)
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, 8192)
    ring = np.stack([np.cos(angles), np.sin(angles)], -1).astype("float32")

    gan = Gan()
    gan.compile(keras.optimizers.Adam(2e-3, 0.5), keras.optimizers.Adam(2e-3, 0.5))
    gan.build(ring.shape)
    gan.fit(ring, batch_size=256, epochs=options.epochs, verbose=2)
    radius = np.linalg.norm(ops.convert_to_numpy(gan.draw(1000)), axis=1)
    print(f"drawn points have radius {radius.mean():.2f} +- {radius.std():.2f}; the ring has 1")


if __name__ == "__main__":
    main()
