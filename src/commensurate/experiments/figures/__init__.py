"""The figures of the paper's experiments, drawn with matplotlib."""
