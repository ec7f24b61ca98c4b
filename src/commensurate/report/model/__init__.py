"""The report on a model: how far to trust it, where it missed most, what matters."""
