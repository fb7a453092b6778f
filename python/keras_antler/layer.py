class AntlerLayer:
    """Base of Keras's layers on this backend. It adds nothing to Keras's own."""
