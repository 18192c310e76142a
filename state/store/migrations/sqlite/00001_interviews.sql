-- Times are milliseconds since 1970-01-01 UTC; 0 is "not yet". Documents are JSON, byte for byte as they were written.

-- +goose Up
CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL DEFAULT '',
    definition TEXT    NOT NULL DEFAULT '', -- hash
    locale     TEXT    NOT NULL DEFAULT '',
    identity   TEXT    NOT NULL DEFAULT '',
    name       TEXT    NOT NULL DEFAULT '',
    room       TEXT    NOT NULL DEFAULT '',
    state      TEXT    NOT NULL DEFAULT '',
    since      INTEGER NOT NULL DEFAULT 0,  -- when it began or, before that, when it was made
    began      INTEGER NOT NULL DEFAULT 0,
    ended      INTEGER NOT NULL DEFAULT 0,
    reason     TEXT    NOT NULL DEFAULT '',
    link       TEXT    NOT NULL DEFAULT '', -- hash of the token in its link
    search     TEXT    NOT NULL DEFAULT '', -- what a search looks through, folded
    journal    INTEGER NOT NULL DEFAULT 0   -- when its journal was opened
) STRICT;

CREATE INDEX sessions_by_time ON sessions (since, id);
CREATE INDEX sessions_by_candidate ON sessions (identity);
CREATE UNIQUE INDEX sessions_by_link ON sessions (link) WHERE link <> '';

CREATE TABLE journal (
    session TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL, -- since the beginning of the session
    type    TEXT    NOT NULL,
    data    BLOB,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluations (
    session TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    item    TEXT    NOT NULL,
    saved   INTEGER NOT NULL,
    data    BLOB    NOT NULL,
    PRIMARY KEY (session, item)
) STRICT;

CREATE TABLE reports (
    session TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    saved   INTEGER NOT NULL,
    data    BLOB    NOT NULL
) STRICT;

CREATE TABLE recordings (
    path     TEXT    NOT NULL PRIMARY KEY,
    session  TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    bytes    INTEGER NOT NULL,
    duration INTEGER NOT NULL, -- ms
    consent  TEXT    NOT NULL  -- how it was given
) STRICT;

CREATE INDEX recordings_by_session ON recordings (session);

CREATE TABLE deliveries (
    id       TEXT    NOT NULL PRIMARY KEY,
    session  TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    url      TEXT    NOT NULL,
    body     BLOB    NOT NULL,
    status   TEXT    NOT NULL,
    attempts INTEGER NOT NULL,
    next_at  INTEGER NOT NULL,
    problem  TEXT    NOT NULL
) STRICT;

CREATE INDEX deliveries_by_session ON deliveries (session);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE status = 'waiting';

-- Recordings of sessions that are gone, until somebody says that the files are gone, too.
CREATE TABLE leftovers (
    path  TEXT    NOT NULL PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE leftovers;
DROP TABLE deliveries;
DROP TABLE recordings;
DROP TABLE reports;
DROP TABLE evaluations;
DROP TABLE journal;
DROP TABLE sessions;
