-- What makes candidates' links to their reports is random, the same for all workers, and in no setting.

-- +goose Up
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
);

-- +goose Down
DROP TABLE secrets;
