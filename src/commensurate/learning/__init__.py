"""The estimators, by how they learn: from proxies or from few answers; budget forecasts; the model file."""
