"""Small pictures for pages, as SVG text."""
