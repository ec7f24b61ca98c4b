"""Look-alikes in another group: the nearest members of it, or one counterpart for each."""
