"""Look-alikes in another group: the nearest members of it, and one counterpart for each."""
