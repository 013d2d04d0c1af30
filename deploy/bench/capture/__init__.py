"""The capture benchmark: the whole path from lease to commit, beside the tools that people use instead."""
