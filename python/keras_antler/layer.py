import keras_antler
from keras.src.utils.backend_utils import DynamicBackend


class AntlerLayer:
    """What layers of this backend have beyond Keras's: nothing yet."""


def _follow_antler(dynamic_backend):
    """Preprocessing layers find their backend by name, which Keras's class does not know."""
    by_name = dynamic_backend.__getattr__

    def getattr_(self, name):
        if self._backend == "antler":
            return getattr(keras_antler, name)
        return by_name(self, name)

    dynamic_backend.__getattr__ = getattr_


_follow_antler(DynamicBackend)
