"""``muniment.toml``: one file, where an unknown key is an error that names the nearest known one."""

import difflib
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from memory.ids import known_zone

FILE = "muniment.toml"
TEMPLATE = """# Settings of this Muniment. Every line is optional; what is commented out is the default.

[server]
# host = "127.0.0.1"
# port = 8787

[owner]
# timezone = "Europe/Paris"     # the machine's own where it is absent

# A Telegram bot: @BotFather makes one and gives its token. Whoever writes to it gets a code; `muniment pair CODE` lets them in.
#
# [channels.telegram]
# token_env = "TELEGRAM_TOKEN"     # the environment variable, or token_file = "/path/to/a/file"
# callback = "https://bot.example.org"   # where Telegram reaches this server (/hooks/telegram is enough), so that it calls

# Models, by litellm's names; without them everything works offline. "clearance" is the most sensitive kind of remembered facts
# that the model may be shown: "public", "internal" (the default for a remote one), "sensitive" (health, money, beliefs) or
# "secret" (the default for one on this machine).
#
# [models.parser]
# name = "openai/gpt-5-mini"
# api_key_env = "OPENAI_API_KEY"   # the environment variable, or api_key_file = "/path/to/a/file"
#
# [models.answerer]
# name = "ollama/llama4"
# api_base = "http://127.0.0.1:11434"
# schema_as = "json_object"          # for a parser behind a server such as llama.cpp's Python one, which takes schemas so
#
# [models.transcriber]               # hears voice messages; "clearance" says nothing here, since it is given what was sent to it
# name = "openai/whisper-1"
# api_key_env = "OPENAI_API_KEY"
"""


class SettingsError(Exception):
    """A settings file that does not read; the text says where and what is meant."""

    kind = "incorrect"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Server(_Strict):
    """Where ``serve`` listens."""

    host: str = "127.0.0.1"
    port: int = Field(default=8787, ge=0, le=65535)


class Owner(_Strict):
    """The one who runs the instance."""

    timezone: str = ""

    @field_validator("timezone")
    @classmethod
    def _known(cls, value: str) -> str:
        if value and known_zone(value) != value:
            message = f"there is no time zone {value!r}; it is written like Europe/Paris"
            raise ValueError(message)
        return value


class ModelRole(_Strict):
    """A model for one role. The key comes from an environment variable or a file, never from here."""

    name: str
    api_base: str = ""
    api_key_env: str = ""
    api_key_file: str = ""
    clearance: Literal["public", "internal", "sensitive", "secret"] | None = None
    deadline: float = Field(default=30.0, gt=0, le=600)
    max_tokens: int = Field(default=1_024, ge=16, le=32_768)
    tools: bool = True
    schema_as: Literal["json_schema", "json_object"] = "json_schema"


class Models(_Strict):
    """The configured models."""

    parser: ModelRole | None = None
    answerer: ModelRole | None = None
    transcriber: ModelRole | None = None


class TelegramRole(_Strict):
    """A Telegram bot. Its token comes from an environment variable or a file, never from here."""

    token_env: str = ""
    token_file: str = ""
    api_base: str = ""
    callback: str = ""

    @field_validator("callback")
    @classmethod
    def _reachable(cls, value: str) -> str:
        if value and not (value.startswith("https://") and urlsplit(value).hostname):
            message = "it is an address that Telegram reaches, such as https://bot.example.org"
            raise ValueError(message)
        return value.rstrip("/")


class Channels(_Strict):
    """The chat platforms."""

    telegram: TelegramRole | None = None


class Settings(_Strict):
    """All settings."""

    channels: Channels = Channels()

    models: Models = Models()
    server: Server = Server()
    owner: Owner = Owner()


def load(data: Path) -> Settings:
    """Return the settings of a data directory; the defaults where there is no file. Raises ``SettingsError``."""
    path = data / FILE
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return Settings.model_validate(raw)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path} is not TOML: {error}. Nothing was changed; mend the file or move it away."
        raise SettingsError(message) from error
    except ValidationError as error:
        message = f"{path}: {'; '.join(_told(fault) for fault in error.errors())}. Nothing was changed; mend the file."
        raise SettingsError(message) from error


def _told(fault: Any) -> str:
    place = ".".join(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden":
        return f"{place}: {fault['msg']}"
    near = difflib.get_close_matches(place, _keys(), n=1, cutoff=0.0)
    return f"there is no setting {place}; the nearest is {near[0]}"


def _keys(model: type[BaseModel] = Settings, prefix: str = "") -> list[str]:
    keys: list[str] = []
    for name, field in model.model_fields.items():
        keys.append(prefix + name)
        for inner in (field.annotation, *get_args(field.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                keys += _keys(inner, f"{prefix}{name}.")
    return keys
