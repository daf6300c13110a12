-- begin_script
-- Checks that a release satisfies the claims of its certificate, certificate.json in this folder.
-- Run it with the PostgreSQL shell and nothing else:
--     psql THE_DATABASE -f verify.sql
-- It reads the table in a read-only transaction, so that all claims are checked on one state of it.
-- It prints one row a claim, PASS or FAIL, and psql exits with an error if any fails: this takes
-- the next line, which is not SQL: remove it for other clients.
-- An equivalence class is a set of rows with the same values in the quasi-identifiers: someone
-- who knows these values of a person, and nothing else, cannot tell which of its rows is theirs.
\set ON_ERROR_STOP on
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
