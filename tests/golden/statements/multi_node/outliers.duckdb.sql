-- outliers
CREATE TEMP TABLE "outliers of" AS
SELECT
  t."key_1",
  t."key_2",
  t.members,
  CAST(0 AS BIGINT) AS suppressed
FROM (
  SELECT DISTINCT
    c."key_1",
    c."key_1" & v."mask_0" AS "mask_0",
    c."key_2",
    c."key_2" & v."mask_1" AS "mask_1",
    v.members
  FROM "classes at" AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(24 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(24 AS BIGINT), CAST(6 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(6 AS BIGINT))
  ) AS v (members, "mask_0", "mask_1")
) AS t
JOIN (
  SELECT
    v.members,
    c."key_1" & v."mask_0" AS "mask_0",
    c."key_2" & v."mask_1" AS "mask_1"
  FROM "classes at" AS c
  CROSS JOIN (
    VALUES
      (CAST(3 AS BIGINT), CAST(24 AS BIGINT), CAST(0 AS BIGINT)),
      (CAST(14 AS BIGINT), CAST(24 AS BIGINT), CAST(6 AS BIGINT)),
      (CAST(12 AS BIGINT), CAST(0 AS BIGINT), CAST(6 AS BIGINT))
  ) AS v (members, "mask_0", "mask_1")
  GROUP BY v.members, c."key_1" & v."mask_0", c."key_2" & v."mask_1"
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "sensitive_1") >= 2 AND
    COUNT(DISTINCT "sensitive_2") >= 1
  )
) AS o
  ON o.members = t.members AND o."mask_0" = t."mask_0" AND o."mask_1" = t."mask_1"
