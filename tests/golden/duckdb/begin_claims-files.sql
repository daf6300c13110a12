-- This holds a release against the claims of its certificate, which stands beside it.
-- Run it in this folder, with nothing but the shell of DuckDB:
--     duckdb -f verify.sql
-- The paths below start from this folder. It reads the files of the release and writes none.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- A class is the set of rows that read alike in the quasi-identifiers: those whom a reader
-- who knows these of a person cannot tell apart.
SET default_collation = ''
