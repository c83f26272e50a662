"""Training of the value network (``skyjo train``)."""
