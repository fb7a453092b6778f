"""KERAS_BACKEND=antler: layers and ops that decide by values, inside compiled models."""

import os

os.environ.setdefault("KERAS_BACKEND", "antler")

import keras
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "antler", reason="KERAS_BACKEND is another"
)


@pytest.mark.parametrize("name", ["RandAugment", "AugMix", "RandomElasticTransform"])
def test_augmentation_in_a_compiled_model(name):
    images = np.random.default_rng(0).uniform(0, 255, (8, 12, 12, 3)).astype("float32")
    keras.utils.set_random_seed(1)
    layer = getattr(keras.layers, name)()
    model = keras.Sequential(
        [keras.Input((12, 12, 3)), layer, keras.layers.GlobalAveragePooling2D()]
    )
    model.compile("sgd", "mse")
    plain = images.mean((1, 2))
    loss = model.fit(images, plain, verbose=0).history["loss"][0]
    assert np.isfinite(loss) and loss > 0  # the images are not those that were given
    assert model.evaluate(images, plain, verbose=0) < 1e-3  # no augmentation


def test_nonzero_elements_in_a_compiled_model():
    class FirstNonzero(keras.layers.Layer):
        def call(self, x):
            rows, columns = keras.ops.nonzero(x)
            return x[:, :2] * 0 + keras.ops.cast(
                keras.ops.stack([rows[0] * 10 + columns[0], rows[2] * 10 + columns[2]]), x.dtype
            )

    x = np.array([[0, 0, 3], [4, 0, 5]], dtype="float32")
    inputs = keras.Input((3,), batch_size=2)
    model = keras.Model(inputs, FirstNonzero()(inputs))
    np.testing.assert_array_equal(model.predict(x, batch_size=2, verbose=0)[0], [2, 12])
