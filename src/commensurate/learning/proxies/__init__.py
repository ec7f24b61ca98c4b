"""NAIVE and CLUSTER: an element is compared through its proxy, the representative of its nearest sample."""
