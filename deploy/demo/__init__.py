"""The demo: a small made-up web, and the main job run on it."""
