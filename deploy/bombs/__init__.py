"""Pages and documents that are made to harm whoever reads them: `python -m deploy.bombs` at their full size."""
