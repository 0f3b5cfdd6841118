"""Names that are far from each other, so that none is taken for another written wrongly."""

_SYLLABLES = ("ka", "lo", "mi", "ra", "ten", "vor", "sal", "bri", "nuq", "dor")


def name(number: int) -> str:
    """Return the name of a number, the same for the same one, in letters alone."""
    mixed = number * 7_919 % 1_000_003  # neighbours differ in all their syllables
    return "".join(_SYLLABLES[int(digit)] for digit in f"{mixed:06d}").capitalize()
