-- begin_script
-- Checks that a release satisfies the claims of its certificate, certificate.json in this folder.
-- Run it in this folder with the SQL shell of Spark and nothing else:
--     spark-sql -f verify.sql
-- It reads the table and writes nothing. If the shell does not find the table, name its --database.
-- It prints one row a claim, PASS or FAIL, and the shell exits with an error if any fails.
-- An equivalence class is a set of rows with the same values in the quasi-identifiers: someone
-- who knows these values of a person, and nothing else, cannot tell which of its rows is theirs.
SET spark.sql.variable.substitute = false
