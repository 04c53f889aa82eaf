"""What is looked at in a browser: the site, made of what was computed, and the explorer."""
