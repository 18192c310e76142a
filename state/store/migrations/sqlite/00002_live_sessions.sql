-- Whoever takes over from a worker that died looks for what it left in the room.

-- +goose Up
CREATE INDEX sessions_live ON sessions (room) WHERE state = 'live';

-- +goose Down
DROP INDEX sessions_live;
