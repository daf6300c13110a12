-- duckdb
SELECT
  r."released_1"
FROM (
  SELECT
    decode(encode(CAST("label" AS VARCHAR))) AS "mapped_1",
    COUNT(*) AS source_values
  FROM "released zip; --" AS v
  WHERE "label" IS NOT NULL
  GROUP BY decode(encode(CAST("label" AS VARCHAR)))
) AS m
JOIN (
  SELECT
    decode("k"."key_1") AS "released_1",
    released_rows,
    released_size
  FROM (
    SELECT
      encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_1",
      CAST(SUM("t"."rows""") AS BIGINT) AS released_rows,
      CAST(SUM("t"."rows""") AS BIGINT) AS released_size
    FROM "staged 'classes" AS t
    GROUP BY encode(CAST("t"."zip; --" AS VARCHAR))
  ) AS k
) AS r
  ON "r"."released_1" IS NOT DISTINCT FROM "m"."mapped_1"
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, (CAST(md5_number("r"."released_1") & 18446744073709551615 AS UBIGINT) >> 4)
LIMIT 1

-- postgres
SELECT
  r."released_1"
FROM (
  SELECT
    (CAST("label" AS TEXT) COLLATE "default") AS "mapped_1",
    COUNT(*) AS source_values
  FROM "released zip; --" AS v
  WHERE "label" IS NOT NULL
  GROUP BY (CAST("label" AS TEXT) COLLATE "default")
) AS m
JOIN (
  SELECT
    ("k"."key_1" COLLATE "default") AS "released_1",
    released_rows,
    released_size
  FROM (
    SELECT
      (CAST("t"."zip; --" AS TEXT) COLLATE "C") AS "key_1",
      CAST(SUM("t"."rows""") AS BIGINT) AS released_rows,
      CAST(SUM("t"."rows""") AS BIGINT) AS released_size
    FROM "staged 'classes" AS t
    GROUP BY (CAST("t"."zip; --" AS TEXT) COLLATE "C")
  ) AS k
) AS r
  ON ARRAY["r"."released_1"] = ARRAY["m"."mapped_1"]
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("r"."released_1"), 15, 2), SUBSTR(MD5("r"."released_1"), 13, 2), SUBSTR(MD5("r"."released_1"), 11, 2), SUBSTR(MD5("r"."released_1"), 9, 2), SUBSTR(MD5("r"."released_1"), 7, 2), SUBSTR(MD5("r"."released_1"), 5, 2), SUBSTR(MD5("r"."released_1"), 3, 2), SUBSTR(MD5("r"."released_1"), 1, 1))) AS BIT(60)) AS BIGINT)
LIMIT 1

-- spark
SELECT
  r.`released_1`
FROM (
  SELECT
    (CAST(`label` AS STRING) COLLATE UTF8_BINARY) AS `mapped_1`,
    COUNT(*) AS source_values
  FROM `released zip; --` AS v
  WHERE `label` IS NOT NULL
  GROUP BY (CAST(`label` AS STRING) COLLATE UTF8_BINARY)
) AS m
JOIN (
  SELECT
    (CAST(`k`.`key_1` AS STRING) COLLATE UTF8_BINARY) AS `released_1`,
    released_rows,
    released_size
  FROM (
    SELECT
      CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AS `key_1`,
      CAST(SUM(`t`.`rows"`) AS BIGINT) AS released_rows,
      CAST(SUM(`t`.`rows"`) AS BIGINT) AS released_size
    FROM `staged 'classes` AS t
    GROUP BY CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY)
  ) AS k
) AS r
  ON `r`.`released_1` IS NOT DISTINCT FROM `m`.`mapped_1`
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CONV(CONCAT(SUBSTR(MD5(`r`.`released_1`), 15, 2), SUBSTR(MD5(`r`.`released_1`), 13, 2), SUBSTR(MD5(`r`.`released_1`), 11, 2), SUBSTR(MD5(`r`.`released_1`), 9, 2), SUBSTR(MD5(`r`.`released_1`), 7, 2), SUBSTR(MD5(`r`.`released_1`), 5, 2), SUBSTR(MD5(`r`.`released_1`), 3, 2), SUBSTR(MD5(`r`.`released_1`), 1, 1)), 16, 10) AS DECIMAL(20, 0))
LIMIT 1
