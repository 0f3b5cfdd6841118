"""HTTP: for now a page that says the assistant runs, and the two health checks."""
