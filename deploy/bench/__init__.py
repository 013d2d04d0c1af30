"""Measurements of what exists, against peers that are installed. More rows come with the parts that they measure."""
