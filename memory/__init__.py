"""Claims, ledger, graph and recall: what is held to be true, on which evidence, and who may see it."""
