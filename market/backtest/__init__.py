"""How good the forecasts and the trend scores are, measured on papers of the past. Pure.

`panel` counts a corpus, `forecasters` and `scorers` are the product's formulas beside plainer ones,
`measures` and `labels` say what good means, `forecast_run` and `trend_run` go through the weeks and days,
`shuffles` shows what chance alone would, `verdicts` holds the figures against what is asked of them, and
`report` writes them down.
"""
