"""What forecasts said, in worlds of many kinds, beside the error that came."""
