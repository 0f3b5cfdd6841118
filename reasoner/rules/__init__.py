"""One file for each table of the W3C rules; each function turns the axioms of a TBox into compiled rules."""
