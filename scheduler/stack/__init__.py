"""The local stack: a supervisor that starts Redis, S3 and the workers as its children, and takes them with it.

What runs is data (`Part`); how a process is tied to its parent is `leash`; what to do when one dies is `supervisor`.
Nothing here is needed in production, where an orchestrator starts the same processes.
"""
