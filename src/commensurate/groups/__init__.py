"""Groups of elements: tables become points, ids and raw records stay with them."""
