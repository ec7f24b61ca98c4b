"""The intervals of few answers: calibrated by answers that were held out, by CV+, or certified."""
