"""The vocabulary: Turtle and SHACL files, and the IRIs that code names."""
