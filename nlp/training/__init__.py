"""How the pipeline's own weights are made and judged. Nothing here is needed to use them."""
