"""Single-dimensional recoding by cuts: top-down, bottom-up, K-Optimize."""
