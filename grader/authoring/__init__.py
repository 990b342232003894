"""An author's commands: exercises and bundles made from solutions."""
