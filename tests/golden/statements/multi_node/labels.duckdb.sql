-- labels
CREATE TEMP TABLE "labels; --" AS
SELECT
  CAST(0 AS INTEGER) AS item,
  "c"."key_1" & CAST(3 AS BIGINT) AS "key_1",
  CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."value" AS VARCHAR)) AS label,
  MAX(1) AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes se""x" AS c
JOIN "map se""x" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(1 AS INTEGER) AS item,
  "c"."key_1" & CAST(0 AS BIGINT) AS "key_1",
  CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."level_1" AS VARCHAR)) AS label,
  MAX("m"."leaves_1") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes se""x" AS c
JOIN "map se""x" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(2 AS INTEGER) AS item,
  "c"."key_1" & CAST(28 AS BIGINT) AS "key_1",
  CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."value" AS VARCHAR)) AS label,
  MAX(1) AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes zip; --" AS c
JOIN "map zip; --" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(3 AS INTEGER) AS item,
  "c"."key_1" & CAST(24 AS BIGINT) AS "key_1",
  CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."level_1" AS VARCHAR)) AS label,
  MAX("m"."leaves_1") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes zip; --" AS c
JOIN "map zip; --" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(4 AS INTEGER) AS item,
  "c"."key_1" & CAST(0 AS BIGINT) AS "key_1",
  CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."level_2" AS VARCHAR)) AS label,
  MAX("m"."leaves_2") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes zip; --" AS c
JOIN "map zip; --" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(5 AS INTEGER) AS item,
  "c"."key_1" & CAST(96 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(7 AS BIGINT) AS "key_2",
  MAX(CAST("m"."value" AS VARCHAR)) AS label,
  MAX(1) AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes age
of 👩" AS c
JOIN "map age
of 👩" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(6 AS INTEGER) AS item,
  "c"."key_1" & CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(7 AS BIGINT) AS "key_2",
  MAX(CASE
    WHEN "p"."low_1" IS NULL AND "p"."high_1" IS NULL THEN NULL
    ELSE CONCAT(COALESCE(CAST("p"."low_1" AS VARCHAR), ''), ':', COALESCE(CAST("p"."high_1" AS VARCHAR), ''))
  END) AS label,
  MAX("m"."leaves_1") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes age
of 👩" AS c
JOIN "map age
of 👩" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
JOIN "complete age
of 👩" AS p ON "c"."value" IS NOT DISTINCT FROM "p"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(7 AS INTEGER) AS item,
  "c"."key_1" & CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(6 AS BIGINT) AS "key_2",
  MAX(CASE
    WHEN "p"."low_2" IS NULL AND "p"."high_2" IS NULL THEN NULL
    ELSE CONCAT(COALESCE(CAST("p"."low_2" AS VARCHAR), ''), ':', COALESCE(CAST("p"."high_2" AS VARCHAR), ''))
  END) AS label,
  MAX("m"."leaves_2") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes age
of 👩" AS c
JOIN "map age
of 👩" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
JOIN "complete age
of 👩" AS p ON "c"."value" IS NOT DISTINCT FROM "p"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(8 AS INTEGER) AS item,
  "c"."key_1" & CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(0 AS BIGINT) AS "key_2",
  MAX(NULLIF('', '')) AS label,
  MAX("m"."leaves_3") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes age
of 👩" AS c
JOIN "map age
of 👩" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(9 AS INTEGER) AS item,
  CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(24 AS BIGINT) AS "key_2",
  MAX(CAST("m"."value" AS VARCHAR)) AS label,
  MAX(1) AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes SELECT" AS c
JOIN "map SELECT" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(10 AS INTEGER) AS item,
  CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(24 AS BIGINT) AS "key_2",
  MAX(CAST("m"."level_1" AS VARCHAR)) AS label,
  MAX("m"."leaves_1") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes SELECT" AS c
JOIN "map SELECT" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
UNION ALL
SELECT
  CAST(11 AS INTEGER) AS item,
  CAST(0 AS BIGINT) AS "key_1",
  "c"."key_2" & CAST(0 AS BIGINT) AS "key_2",
  MAX(CAST("m"."level_2" AS VARCHAR)) AS label,
  MAX("m"."leaves_2") AS leaves,
  CAST(SUM(m.row_count) AS BIGINT) AS row_count
FROM "codes SELECT" AS c
JOIN "map SELECT" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
GROUP BY 2, 3
