"""The pages that a reader opens in a browser."""
