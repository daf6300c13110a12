"""Local suppression of single cells, as in mu-Argus."""
