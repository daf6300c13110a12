-- folded_rows
CREATE TEMP TABLE "people; shown" AS
SELECT
  s.*,
  COALESCE("f0"."ma'ny", 0) AS "ma'ny",
  COALESCE("f0"."all", 0) AS "all",
  COALESCE("f0"."wa;rds", '') AS "wa;rds",
  COALESCE("f0"."sets", '') AS "sets",
  "f0"."first" AS "first",
  "f0"."last" AS "last",
  "f0"."sum" AS "sum",
  "f0"."round" AS "round"
FROM "peo;ple of all" AS s
LEFT JOIN (
  SELECT
    "s"."kanon_person" AS "person",
    LEAST(COUNT(*), 2) AS "ma'ny",
    COUNT(*) AS "all",
    STRING_AGG(DISTINCT SUBSTR(decode(encode(CAST("s"."wa;rd" AS VARCHAR))), 1, 1), '|' ORDER BY SUBSTR(decode(encode(CAST("s"."wa;rd" AS VARCHAR))), 1, 1)) AS "wa;rds",
    STRING_AGG(DISTINCT decode(encode(CAST("s"."wa;rd" AS VARCHAR))), '|' ORDER BY decode(encode(CAST("s"."wa;rd" AS VARCHAR)))) AS "sets",
    MIN("s"."day") AS "first",
    MAX("s"."day") AS "last",
    SUM("s"."day") AS "sum",
    CAST(ROUND(1.0 * SUM("s"."day") / 10) * 10 AS BIGINT) AS "round"
  FROM "vis;its with people" AS s
  GROUP BY "s"."kanon_person"
) AS "f0" ON "f0"."person" = "s"."i'd"
