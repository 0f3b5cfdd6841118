"""The composition root: the one place that puts the parts together."""

import os
from contextlib import suppress
from pathlib import Path

from bootstrap import persona, settings
from gateway.answering import Answerer
from gateway.commands import TABLE
from gateway.files import Transcriber
from gateway.models import Model, ModelSettings
from gateway.parse.model import ModelParser
from gateway.parse.offline import OfflineParser
from gateway.service import Service
from gateway.tables import TABLES
from gateway.turn import Parser
from memory.ids import Clock, Ids, now, uuid7
from memory.label import Sensitivity
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary


def open_service(
    data: Path,
    *,
    parser: Parser | None = None,
    answerer: Answerer | None = None,
    transcriber: Transcriber | None = None,
    clock: Clock = now,
    ids: Ids = uuid7,
) -> Service:
    """Return the service of a data directory, which is made where it is missing; not yet started."""
    models = settings.load(data).models
    reading, speaking, hearing = (_model(role) for role in (models.parser, models.answerer, models.transcriber))
    who = persona.persona(data) if speaking else ""
    memory = Memory(data, Vocabulary(vocabulary()), clock=clock, ids=ids, tables=TABLES)
    _seed(data)
    chosen = parser or (ModelParser(reading, memory.vocabulary) if reading else OfflineParser())
    return Service(memory, chosen, answerer, model=speaking, persona=who, transcriber=transcriber or hearing)


def connect(service: Service, data: Path) -> None:
    """Let a service be spoken to through the platforms that the settings name; before it is started."""
    role = settings.load(data).channels.telegram
    if role is None:
        return
    from channels.telegram.client import Telegram
    from channels.telegram.wire import NAME
    from gateway.http.hooks import PREFIX as HOOKS

    token = _secret(role.token_env, role.token_file, "token_file")
    if not token:
        message = "channels.telegram has no token. Nothing was changed; set token_env or token_file."
        raise settings.SettingsError(message)
    commands = [(command.name, command.usage.partition(" - ")[2]) for command in TABLE]
    callback = f"{role.callback}{HOOKS}{NAME}" if role.callback else ""
    service.add_channel(Telegram(token, service.platforms.press, commands, role.api_base, callback))


def _model(role: settings.ModelRole | None) -> Model | None:
    """Return the model of a role, with its key read from where the settings say."""
    if role is None:
        return None
    key = _secret(role.api_key_env, role.api_key_file, "api_key_file")
    clearance = Sensitivity[role.clearance.upper()] if role.clearance else None
    return Model(
        ModelSettings(role.name, role.api_base, key, clearance, role.deadline, role.max_tokens, role.tools, role.schema_as)
    )


def _secret(variable: str, file: str, setting: str) -> str:
    """Return a secret from where the settings say; raise ``SettingsError`` where it is not there."""
    secret = os.environ.get(variable, "") if variable else ""
    try:
        secret = Path(file).read_text(encoding="utf-8").strip() if file else secret
    except (OSError, UnicodeDecodeError) as error:
        message = f"{file} cannot be read ({error}). Nothing was changed; mend {setting}."
        raise settings.SettingsError(message) from error
    if variable and not secret:
        message = f"The environment variable {variable} is empty. Nothing was changed; set it, or take it out of the settings."
        raise settings.SettingsError(message)
    return secret


def local_zone(configured: str) -> str:
    """Return the configured time zone, or the machine's own, or UTC."""
    if configured:
        return configured
    if os.environ.get("TZ"):
        return os.environ["TZ"].lstrip(":")
    with suppress(OSError):
        target = str(Path("/etc/localtime").resolve())
        if "zoneinfo/" in target:
            return target.split("zoneinfo/", 1)[1].removeprefix("posix/")
    return "UTC"


def _seed(data: Path) -> None:
    seeds = {settings.FILE: settings.TEMPLATE, persona.FILE: persona.SEED.read_text(encoding="utf-8")}
    for name, text in seeds.items():
        path = data / name
        if not path.exists():
            with suppress(OSError):
                path.write_text(text, encoding="utf-8")
