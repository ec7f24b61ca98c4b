"""NAIVE and CLUSTER: an element is compared through its proxy, the nearest sample or its representative."""
