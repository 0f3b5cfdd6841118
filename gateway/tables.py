"""The gateway's own rows. They only ever grow: what happens to a row later is another row."""

from memory.tables import Table

_ENTRY = "INTEGER NOT NULL"

TABLES = (
    Table(
        "person",
        {"id": "TEXT PRIMARY KEY", "entry": _ENTRY, "role": "TEXT NOT NULL", "display_name": "TEXT NOT NULL"},
        indexes=("CREATE UNIQUE INDEX one_owner ON person (role) WHERE role = 'owner'",),
    ),
    Table(
        "identity",
        {"channel": "TEXT NOT NULL", "platform_id": "TEXT NOT NULL", "person": "TEXT NOT NULL", "entry": _ENTRY},
        "PRIMARY KEY (channel, platform_id)",
    ),
    Table(
        "standing",
        {"id": "TEXT PRIMARY KEY", "person": "TEXT NOT NULL", "role": "TEXT NOT NULL", "entry": _ENTRY},
        indexes=("CREATE INDEX standing_by_person ON standing (person)",),
    ),
    Table(
        "preference",
        {
            "id": "TEXT PRIMARY KEY",
            "person": "TEXT NOT NULL",
            "name": "TEXT NOT NULL",
            "value": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
        indexes=("CREATE INDEX preference_by_person ON preference (person)",),
    ),
    Table(
        "door",
        {"id": "TEXT PRIMARY KEY", "team": "TEXT NOT NULL", "is_open": "INTEGER NOT NULL", "entry": _ENTRY},
        indexes=("CREATE INDEX door_by_team ON door (team)",),
    ),
    Table(
        "conversation",
        {
            "id": "TEXT PRIMARY KEY",
            "channel": "TEXT NOT NULL",
            "chat": "TEXT NOT NULL",
            "space": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
        "UNIQUE (channel, chat)",
    ),
    Table(
        "inbox",
        {
            "channel": "TEXT NOT NULL",
            "chat": "TEXT NOT NULL",
            "platform_id": "TEXT NOT NULL",
            "source": "TEXT NOT NULL UNIQUE",
            "conversation": "TEXT NOT NULL",
            "person": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
        "PRIMARY KEY (channel, chat, platform_id)",
    ),
    Table(
        "file",
        {
            "source": "TEXT PRIMARY KEY",
            "kind": "TEXT NOT NULL",
            "id": "TEXT NOT NULL",
            "name": "TEXT NOT NULL",
            "media_type": "TEXT NOT NULL",
            "size": "INTEGER NOT NULL",
            "has_words": "INTEGER NOT NULL",
            "entry": _ENTRY,
        },
    ),
    Table("transcript", {"source": "TEXT PRIMARY KEY", "heard": "TEXT NOT NULL UNIQUE", "entry": _ENTRY}),
    Table(
        "edit",
        {
            "source": "TEXT PRIMARY KEY",
            "channel": "TEXT NOT NULL",
            "chat": "TEXT NOT NULL",
            "platform_id": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
        indexes=("CREATE INDEX edit_by_message ON edit (channel, chat, platform_id)",),
    ),
    Table(
        "outbox",
        {
            "id": "TEXT PRIMARY KEY",
            "channel": "TEXT NOT NULL",
            "chat": "TEXT NOT NULL",
            "in_reply_to": "TEXT NOT NULL UNIQUE",
            "source": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
        indexes=("CREATE INDEX outbox_by_chat ON outbox (channel, chat)",),
    ),
    Table(
        "imported",
        {"chat": "TEXT NOT NULL", "platform_id": "TEXT NOT NULL", "source": "TEXT NOT NULL UNIQUE", "entry": _ENTRY},
        "PRIMARY KEY (chat, platform_id)",
        ("CREATE INDEX imported_by_line ON imported (platform_id)",),
    ),
    Table(
        "web_session",
        {"digest": "TEXT PRIMARY KEY", "person": "TEXT NOT NULL", "opened_at": "INTEGER NOT NULL", "entry": _ENTRY},
    ),
    Table("web_session_end", {"digest": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table(
        "request",
        {
            "id": "TEXT PRIMARY KEY",
            "person": "TEXT NOT NULL",
            "wanted": "TEXT NOT NULL",
            "shown": "TEXT NOT NULL",
            "expires": "INTEGER NOT NULL",
            "source": "TEXT NOT NULL",
            "entry": _ENTRY,
        },
    ),
    Table(
        "access",
        {"id": "TEXT PRIMARY KEY", "person": "TEXT NOT NULL", "whose": "TEXT NOT NULL", "what": "TEXT NOT NULL", "entry": _ENTRY},
        indexes=("CREATE INDEX access_by_whose ON access (whose)",),
    ),
    Table(
        "token",
        {
            "id": "TEXT PRIMARY KEY",
            "digest": "TEXT NOT NULL UNIQUE",
            "person": "TEXT NOT NULL",
            "name": "TEXT NOT NULL",
            "sensitivity": "TEXT NOT NULL",
            "issued_at": _ENTRY,
            "entry": _ENTRY,
        },
    ),
    Table("token_end", {"token": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table("request_end", {"request": "TEXT PRIMARY KEY", "outcome": "TEXT NOT NULL", "entry": _ENTRY}),
    Table(
        "tool_store",
        {"message": "TEXT NOT NULL", "number": "INTEGER NOT NULL", "source": "TEXT NOT NULL", "entry": _ENTRY},
        "PRIMARY KEY (message, number)",
    ),
    Table(
        "attempt",
        {"id": "TEXT PRIMARY KEY", "outbox": "TEXT NOT NULL", "entry": _ENTRY},
        indexes=("CREATE INDEX attempt_by_outbox ON attempt (outbox)",),
    ),
    Table("attempt_end", {"attempt": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table("export", {"outbox": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table("draft", {"in_reply_to": "TEXT PRIMARY KEY", "platform_id": "TEXT NOT NULL", "entry": _ENTRY}),
    Table(
        "delivery",
        {"outbox": "TEXT PRIMARY KEY", "platform_id": "TEXT NOT NULL", "entry": _ENTRY},
        indexes=("CREATE INDEX delivery_by_message ON delivery (platform_id)",),
    ),
)
