"""Letters that look alike, after Unicode's confusables: one writing for all of them. Pure.

https://www.unicode.org/reports/tr39/#Confusable_Detection
"""

from collections.abc import Mapping
from functools import cache


def skeleton(text: str) -> str:
    """Return a case-folded text with every letter that looks like an ASCII letter or digit written as that one."""
    return text if text.isascii() else text.translate(_alike())


@cache
def _alike() -> Mapping[int, str]:
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[int, str] = {}
    for character, others in confusables_data.items():
        if character.isascii() or len(character) != 1:
            continue
        plain = [
            other["c"].casefold() for other in others if len(other["c"]) == 1 and other["c"].isascii() and other["c"].isalnum()
        ]
        if plain:
            found[ord(character)] = plain[0]
    return found
