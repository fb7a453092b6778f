class AntlerLayer:
    """What layers of this backend have beyond Keras's: nothing yet."""
