"""Groups of elements: tables become points, and ids and raw records stay with them."""
