-- sample_rows
CREATE TEMP TABLE "sample" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
USING SAMPLE reservoir(5 ROWS) REPEATABLE (1)
