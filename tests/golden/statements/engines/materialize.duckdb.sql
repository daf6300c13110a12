-- materialize
CREATE TEMP TABLE "kept;" AS
SELECT *
FROM "the source; DROP TABLE x"
