-- Who holds an interview, and until when. Times are of the database's own clock, in ms. The row stays when the lease is given
-- back, so that an epoch is never given twice.

-- +goose Up
CREATE TABLE leases (
    session  TEXT   NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    epoch    BIGINT NOT NULL,             -- grows whenever the lease changes hands
    holder   TEXT   NOT NULL,             -- a process; '' = nobody
    expires  BIGINT NOT NULL,             -- 0 = given back
    room     TEXT   NOT NULL,
    identity TEXT   NOT NULL,             -- of the interviewer in the room
    agent    TEXT   NOT NULL,             -- name by which another is called
    job      TEXT   NOT NULL,             -- what its dispatch said
    takes    BIGINT NOT NULL DEFAULT 1,   -- how often it was taken
    called   BIGINT NOT NULL DEFAULT 0,   -- until when whoever was called may take it
    calls    BIGINT NOT NULL DEFAULT 0    -- how often somebody was called since it was taken
);

CREATE INDEX leases_due ON leases (expires) WHERE expires > 0;
CREATE INDEX leases_by_holder ON leases (holder) WHERE holder <> '';

-- +goose Down
DROP TABLE leases;
