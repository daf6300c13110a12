-- duckdb
-- This holds a release against the claims of its certificate, which stands beside it.
-- Run it in this folder, with nothing but the shell of DuckDB:
--     duckdb -f verify.sql
-- The paths below start from this folder. It reads the files of the release and writes none.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- A class is the set of rows that read alike in the quasi-identifiers: those whom a reader
-- who knows these of a person cannot tell apart.
SET default_collation = ''

-- postgres
-- This holds a release against the claims of its certificate, which stands beside it.
-- Run it with nothing but the shell of PostgreSQL:
--     psql THE_DATABASE -f verify.sql
-- It reads the table in a transaction that can write nothing, and sees one state of it.
-- It prints one row a claim, PASS or FAIL, and psql exits with an error if any fails: for this it
-- has the next line, which is not SQL and which other clients want removed.
-- A class is the set of rows that read alike in the quasi-identifiers: those whom a reader
-- who knows these of a person cannot tell apart.
\set ON_ERROR_STOP on
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY

-- spark
-- This holds a release against the claims of its certificate, which stands beside it.
-- Run it in this folder, with nothing but the SQL shell of Spark:
--     spark-sql -f verify.sql
-- The paths below start from this folder. It reads the files of the release and writes none.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- A class is the set of rows that read alike in the quasi-identifiers: those whom a reader
-- who knows these of a person cannot tell apart.
SET spark.sql.variable.substitute = false
