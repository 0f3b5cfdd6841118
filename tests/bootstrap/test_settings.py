from pathlib import Path

import pytest

from bootstrap import settings

pytestmark = pytest.mark.requirement("settings")


def load(folder: Path, text: str) -> settings.Settings:
    (folder / settings.FILE).write_text(text)
    return settings.load(folder)


def test_without_a_file_and_with_the_template_the_defaults_hold(tmp_path: Path) -> None:
    assert settings.load(tmp_path) == settings.Settings()
    assert load(tmp_path, settings.TEMPLATE) == settings.Settings()


def test_what_is_set_is_read(tmp_path: Path) -> None:
    found = load(tmp_path, '[server]\nport = 9000\n[owner]\ntimezone = "Asia/Tokyo"\n')
    assert (found.server.port, found.owner.timezone) == (9000, "Asia/Tokyo")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[server]\nprot = 1\n", "no setting server.prot; the nearest is server.port"),
        ("[sever]\n", "no setting sever; the nearest is server"),
        ("[server]\nport = 99999\n", "server.port"),
        ('[server]\nport = "x"\n', "server.port"),
        ('[owner]\ntimezone = "Mars/Base"\n', "no time zone 'Mars/Base'"),
        ("[server", "not TOML"),
    ],
)
def test_an_error_names_the_place_and_the_nearest_setting(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(settings.SettingsError, match="Nothing was changed") as error:
        load(tmp_path, text)
    assert told in str(error.value)
