"""The turn, and what surrounds it: people, parsers, answerers, inbox and outbox, HTTP and the control socket."""
