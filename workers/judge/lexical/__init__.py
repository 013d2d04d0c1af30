"""What can be compared without understanding: figures, negations, comparisons, names. It warns and decides nothing."""
