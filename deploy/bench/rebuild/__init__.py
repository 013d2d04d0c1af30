"""How fast Redis comes back from the store: a collection of real objects, and a rebuild of it."""
