-- duckdb
SELECT "m"."example"
FROM (
  SELECT
    decode(encode(CAST("label" AS VARCHAR))) AS example,
    "label" AS "mapped_1",
    COUNT(*) AS source_values
  FROM "released zip; --" AS v
  WHERE "label" IS NOT NULL
  GROUP BY "label", "label"
) AS m
JOIN (
  SELECT
    "t"."zip; --" AS "released_1",
    COUNT(*) AS released_rows,
    COUNT(*) AS released_size
  FROM "staged'" AS t
  GROUP BY "t"."zip; --"
) AS r
  ON decode(encode(CAST("r"."released_1" AS VARCHAR))) IS NOT DISTINCT FROM decode(encode(CAST("m"."mapped_1" AS VARCHAR)))
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, (md5_number_upper("m"."example") >> 4)
LIMIT 1

-- postgres
SELECT "m"."example"
FROM (
  SELECT
    (CAST("label" AS TEXT) COLLATE "default") AS example,
    "label" AS "mapped_1",
    COUNT(*) AS source_values
  FROM "released zip; --" AS v
  WHERE "label" IS NOT NULL
  GROUP BY "label", "label"
) AS m
JOIN (
  SELECT
    "t"."zip; --" AS "released_1",
    COUNT(*) AS released_rows,
    COUNT(*) AS released_size
  FROM "staged'" AS t
  GROUP BY "t"."zip; --"
) AS r
  ON ARRAY[(CAST("r"."released_1" AS TEXT) COLLATE "default")] = ARRAY[(CAST("m"."mapped_1" AS TEXT) COLLATE "default")]
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("m"."example"), 15, 2), SUBSTR(MD5("m"."example"), 13, 2), SUBSTR(MD5("m"."example"), 11, 2), SUBSTR(MD5("m"."example"), 9, 2), SUBSTR(MD5("m"."example"), 7, 2), SUBSTR(MD5("m"."example"), 5, 2), SUBSTR(MD5("m"."example"), 3, 2), SUBSTR(MD5("m"."example"), 1, 1))) AS BIT(60)) AS BIGINT)
LIMIT 1

-- spark
SELECT `m`.`example`
FROM (
  SELECT
    (CAST(`label` AS STRING) COLLATE UTF8_BINARY) AS example,
    `label` AS `mapped_1`,
    COUNT(*) AS source_values
  FROM `released zip; --` AS v
  WHERE `label` IS NOT NULL
  GROUP BY `label`, `label`
) AS m
JOIN (
  SELECT
    `t`.`zip; --` AS `released_1`,
    COUNT(*) AS released_rows,
    COUNT(*) AS released_size
  FROM `staged'` AS t
  GROUP BY `t`.`zip; --`
) AS r
  ON (CAST(`r`.`released_1` AS STRING) COLLATE UTF8_BINARY) IS NOT DISTINCT FROM (CAST(`m`.`mapped_1` AS STRING) COLLATE UTF8_BINARY)
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CONV(CONCAT(SUBSTR(MD5(`m`.`example`), 15, 2), SUBSTR(MD5(`m`.`example`), 13, 2), SUBSTR(MD5(`m`.`example`), 11, 2), SUBSTR(MD5(`m`.`example`), 9, 2), SUBSTR(MD5(`m`.`example`), 7, 2), SUBSTR(MD5(`m`.`example`), 5, 2), SUBSTR(MD5(`m`.`example`), 3, 2), SUBSTR(MD5(`m`.`example`), 1, 1)), 16, 10) AS DECIMAL(20, 0))
LIMIT 1
