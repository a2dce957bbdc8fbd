"""The rows of the requirement manifest, a file for each part of the specification."""
