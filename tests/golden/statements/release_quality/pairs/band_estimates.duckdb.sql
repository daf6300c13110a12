-- band_estimates-numbers
SELECT
  "x0"."band" AS "band_0",
  "x1"."band" AS "band_1",
  g.hit,
  SUM(CAST("g"."row_count" AS DOUBLE) * "x0"."share" * "x1"."share") AS expected
FROM (
  SELECT
    "key_0",
    "key_1",
    hit,
    COUNT(*) AS row_count
  FROM (
    SELECT
      COALESCE('v' || decode(encode(CAST("s"."age
of 👩" AS VARCHAR))), '') AS "key_0",
      COALESCE('v' || decode(encode(CAST("s"."zip; --" AS VARCHAR))), '') AS "key_1",
      CASE WHEN CASE WHEN regexp_full_match(CAST("s"."se""x" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."se""x" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("s"."se""x" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."se""x" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END >= 20000000 THEN 1 ELSE 0 END AS hit
    FROM "the source; DROP TABLE x" AS s
  ) AS k
  GROUP BY "key_0", "key_1", hit
) AS g
JOIN (
  SELECT
    c.label,
    c.band,
    CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      "b"."bin" AS band,
      COUNT(DISTINCT own) AS covered
    FROM "measu'red bands 0" AS b
    GROUP BY label, "b"."bin"
  ) AS c
  JOIN (
    SELECT
      label,
      COUNT(DISTINCT own) AS covered
    FROM "measu'red bands 0" AS b
    GROUP BY label
  ) AS w ON w.label = c.label
) AS "x0" ON "x0"."label" = "g"."key_0"
JOIN (
  SELECT
    c.label,
    c.band,
    CAST("c"."covered" AS DOUBLE) / CAST("w"."covered" AS DOUBLE) AS share
  FROM (
    SELECT
      label,
      "b"."own" AS band,
      COUNT(DISTINCT own) AS covered
    FROM "measu'red values zip; --" AS b
    GROUP BY label, "b"."own"
  ) AS c
  JOIN (
    SELECT
      label,
      COUNT(DISTINCT own) AS covered
    FROM "measu'red values zip; --" AS b
    GROUP BY label
  ) AS w ON w.label = c.label
) AS "x1" ON "x1"."label" = "g"."key_1"
GROUP BY "x0"."band", "x1"."band", g.hit
