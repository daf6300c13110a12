-- duckdb
-- Checks that a release satisfies the claims of its certificate, certificate.json in this folder.
-- Run it in this folder with the DuckDB shell and nothing else:
--     duckdb -readonly THE_DATABASE -f verify.sql
-- It reads the table and writes nothing.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- An equivalence class is a set of rows with the same values in the quasi-identifiers: someone
-- who knows these values of a person cannot tell which of its rows is theirs.
SET default_collation = ''

-- postgres
-- Checks that a release satisfies the claims of its certificate, certificate.json in this folder.
-- Run it with the PostgreSQL shell and nothing else:
--     psql THE_DATABASE -f verify.sql
-- It reads the table in a read-only transaction, so that all claims are checked on one state of it.
-- It prints one row a claim, PASS or FAIL, and psql exits with an error if any fails: this takes
-- the next line, which is not SQL: remove it for other clients.
-- An equivalence class is a set of rows with the same values in the quasi-identifiers: someone
-- who knows these values of a person cannot tell which of its rows is theirs.
\set ON_ERROR_STOP on
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY

-- spark
-- Checks that a release satisfies the claims of its certificate, certificate.json in this folder.
-- Run it in this folder with the SQL shell of Spark and nothing else:
--     spark-sql -f verify.sql
-- It reads the table and writes nothing. If the shell does not find the table, name its --database.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- An equivalence class is a set of rows with the same values in the quasi-identifiers: someone
-- who knows these values of a person cannot tell which of its rows is theirs.
SET spark.sql.variable.substitute = false
