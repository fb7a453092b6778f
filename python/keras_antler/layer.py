import keras_antler
from keras.src.utils.backend_utils import DynamicBackend


class AntlerLayer:
    """Base of Keras's layers on this backend. They need nothing beyond what Keras gives them."""


def _follow_antler(dynamic_backend):
    """Preprocessing layers find their backend by name, which Keras's class does not know."""
    by_name = dynamic_backend.__getattr__

    def getattr_(self, name):
        if self._backend == "antler":
            return getattr(keras_antler, name)
        return by_name(self, name)

    dynamic_backend.__getattr__ = getattr_


_follow_antler(DynamicBackend)
