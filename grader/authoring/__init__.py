"""What an author runs: exercises and bundles made from solutions."""
