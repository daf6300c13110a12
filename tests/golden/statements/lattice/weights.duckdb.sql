-- weights
CREATE TEMP TABLE "weights" AS
SELECT DISTINCT
  CAST(0 AS INTEGER) AS item,
"key_1" & CAST(3 AS BIGINT) AS "key_1",
CAST(0 AS BIGINT) AS "key_2",
  1 AS leaves
FROM "codes se""x" AS c
UNION ALL
SELECT DISTINCT
  CAST(1 AS INTEGER) AS item,
"key_1" & CAST(24 AS BIGINT) AS "key_1",
CAST(0 AS BIGINT) AS "key_2",
  "leaves_1" AS leaves
FROM "codes zip; --" AS c
UNION ALL
SELECT DISTINCT
  CAST(2 AS INTEGER) AS item,
"key_1" & CAST(0 AS BIGINT) AS "key_1",
"key_2" & CAST(6 AS BIGINT) AS "key_2",
  "leaves_2" AS leaves
FROM "codes age
of 👩" AS c
UNION ALL
SELECT DISTINCT
  CAST(3 AS INTEGER) AS item,
CAST(0 AS BIGINT) AS "key_1",
"key_2" & CAST(24 AS BIGINT) AS "key_2",
  "leaves_1" AS leaves
FROM "codes SELECT" AS c
