"""Messages in and out. Sees no RDF and no memory."""
