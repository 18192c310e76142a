-- What makes candidates' links to their reports is random, the same for all workers, and in no setting. A candidate's token is for one
-- interview in its room.

-- +goose Up
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
CREATE INDEX sessions_room ON sessions (room);

-- +goose Down
DROP INDEX sessions_room;
DROP TABLE secrets;
