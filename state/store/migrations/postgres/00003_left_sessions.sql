-- What a worker left when it died is brought to its end by one sweeper at a time, and not for ever.

-- +goose Up
ALTER TABLE sessions ADD COLUMN swept BIGINT NOT NULL DEFAULT 0; -- until when it is in a sweeper's hands
ALTER TABLE sessions ADD COLUMN sweeps BIGINT NOT NULL DEFAULT 0; -- how often it was

-- +goose Down
ALTER TABLE sessions DROP COLUMN sweeps;
ALTER TABLE sessions DROP COLUMN swept;
