-- Times are milliseconds since 1970-01-01 UTC; 0 is "not yet". Documents are JSON, byte for byte as they were written.

-- +goose Up
CREATE TABLE sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL DEFAULT '',
    definition TEXT   NOT NULL DEFAULT '', -- hash
    locale     TEXT   NOT NULL DEFAULT '',
    identity   TEXT   NOT NULL DEFAULT '',
    name       TEXT   NOT NULL DEFAULT '',
    room       TEXT   NOT NULL DEFAULT '',
    state      TEXT   NOT NULL DEFAULT '',
    since      BIGINT NOT NULL DEFAULT 0,  -- when it began or, before that, when it was made
    began      BIGINT NOT NULL DEFAULT 0,
    ended      BIGINT NOT NULL DEFAULT 0,
    reason     TEXT   NOT NULL DEFAULT '',
    link       TEXT   NOT NULL DEFAULT '', -- hash of the token in its link
    search     TEXT   NOT NULL DEFAULT '', -- what a search looks through, folded
    journal    BIGINT NOT NULL DEFAULT 0   -- when its journal was opened
);

CREATE INDEX sessions_by_time ON sessions (since, id);
CREATE INDEX sessions_by_candidate ON sessions (identity);
CREATE UNIQUE INDEX sessions_by_link ON sessions (link) WHERE link <> '';

CREATE TABLE journal (
    session TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq     BIGINT NOT NULL,
    at      BIGINT NOT NULL, -- since the beginning of the session
    type    TEXT   NOT NULL,
    data    BYTEA,
    PRIMARY KEY (session, seq)
);

CREATE TABLE evaluations (
    session TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    item    TEXT   NOT NULL,
    saved   BIGINT NOT NULL,
    data    BYTEA  NOT NULL,
    PRIMARY KEY (session, item)
);

CREATE TABLE reports (
    session TEXT   NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    saved   BIGINT NOT NULL,
    data    BYTEA  NOT NULL
);

CREATE TABLE recordings (
    path     TEXT   NOT NULL PRIMARY KEY,
    session  TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    bytes    BIGINT NOT NULL,
    duration BIGINT NOT NULL, -- ms
    consent  TEXT   NOT NULL  -- how it was given
);

CREATE INDEX recordings_by_session ON recordings (session);

CREATE TABLE deliveries (
    id       TEXT   NOT NULL PRIMARY KEY,
    session  TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    url      TEXT   NOT NULL,
    body     BYTEA  NOT NULL,
    status   TEXT   NOT NULL,
    attempts BIGINT NOT NULL,
    next_at  BIGINT NOT NULL,
    problem  TEXT   NOT NULL
);

CREATE INDEX deliveries_by_session ON deliveries (session);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE status = 'waiting';

-- Recordings of sessions that are gone, until somebody says that the files are gone, too.
CREATE TABLE leftovers (
    path  TEXT   NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leftovers;
DROP TABLE deliveries;
DROP TABLE recordings;
DROP TABLE reports;
DROP TABLE evaluations;
DROP TABLE journal;
DROP TABLE sessions;
