-- duckdb
SELECT
  r."released_1",
  r."released_2"
FROM (
  SELECT
    decode(encode(CAST("low" AS VARCHAR))) AS "mapped_1",
    decode(encode(CAST("high" AS VARCHAR))) AS "mapped_2",
    COUNT(*) AS source_values
  FROM "released age
of 👩" AS v
  WHERE "low" IS NOT NULL AND "high" IS NOT NULL
  GROUP BY decode(encode(CAST("low" AS VARCHAR))), decode(encode(CAST("high" AS VARCHAR)))
) AS m
JOIN (
  SELECT
    decode("k"."key_1") AS "released_1",
    decode("k"."key_2") AS "released_2",
    released_rows,
    released_size
  FROM (
    SELECT
      encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "key_1",
      encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "key_2",
      COUNT(*) AS released_rows,
      COUNT(*) AS released_size
    FROM "staged'" AS t
    GROUP BY encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR))
  ) AS k
) AS r
  ON "r"."released_1" IS NOT DISTINCT FROM "m"."mapped_1" AND "r"."released_2" IS NOT DISTINCT FROM "m"."mapped_2"
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, (CAST(md5_number("r"."released_1") & 18446744073709551615 AS UBIGINT) >> 4)
LIMIT 1

-- postgres
SELECT
  r."released_1",
  r."released_2"
FROM (
  SELECT
    (CAST("low" AS TEXT) COLLATE "default") AS "mapped_1",
    (CAST("high" AS TEXT) COLLATE "default") AS "mapped_2",
    COUNT(*) AS source_values
  FROM "released age
of 👩" AS v
  WHERE "low" IS NOT NULL AND "high" IS NOT NULL
  GROUP BY (CAST("low" AS TEXT) COLLATE "default"), (CAST("high" AS TEXT) COLLATE "default")
) AS m
JOIN (
  SELECT
    ("k"."key_1" COLLATE "default") AS "released_1",
    ("k"."key_2" COLLATE "default") AS "released_2",
    released_rows,
    released_size
  FROM (
    SELECT
      (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C") AS "key_1",
      (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C") AS "key_2",
      COUNT(*) AS released_rows,
      COUNT(*) AS released_size
    FROM "staged'" AS t
    GROUP BY (CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C")
  ) AS k
) AS r
  ON ARRAY["r"."released_1"] = ARRAY["m"."mapped_1"] AND ARRAY["r"."released_2"] = ARRAY["m"."mapped_2"]
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CAST(CONCAT('x', CONCAT(SUBSTR(MD5("r"."released_1"), 15, 2), SUBSTR(MD5("r"."released_1"), 13, 2), SUBSTR(MD5("r"."released_1"), 11, 2), SUBSTR(MD5("r"."released_1"), 9, 2), SUBSTR(MD5("r"."released_1"), 7, 2), SUBSTR(MD5("r"."released_1"), 5, 2), SUBSTR(MD5("r"."released_1"), 3, 2), SUBSTR(MD5("r"."released_1"), 1, 1))) AS BIT(60)) AS BIGINT)
LIMIT 1

-- spark
SELECT
  r.`released_1`,
  r.`released_2`
FROM (
  SELECT
    (CAST(`low` AS STRING) COLLATE UTF8_BINARY) AS `mapped_1`,
    (CAST(`high` AS STRING) COLLATE UTF8_BINARY) AS `mapped_2`,
    COUNT(*) AS source_values
  FROM `released age
of 👩` AS v
  WHERE `low` IS NOT NULL AND `high` IS NOT NULL
  GROUP BY (CAST(`low` AS STRING) COLLATE UTF8_BINARY), (CAST(`high` AS STRING) COLLATE UTF8_BINARY)
) AS m
JOIN (
  SELECT
    (CAST(`k`.`key_1` AS STRING) COLLATE UTF8_BINARY) AS `released_1`,
    (CAST(`k`.`key_2` AS STRING) COLLATE UTF8_BINARY) AS `released_2`,
    released_rows,
    released_size
  FROM (
    SELECT
      CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AS `key_1`,
      CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AS `key_2`,
      COUNT(*) AS released_rows,
      COUNT(*) AS released_size
    FROM `staged'` AS t
    GROUP BY CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY)
  ) AS k
) AS r
  ON `r`.`released_1` IS NOT DISTINCT FROM `m`.`mapped_1` AND `r`.`released_2` IS NOT DISTINCT FROM `m`.`mapped_2`
WHERE m.source_values > 1 AND r.released_size >= 2
ORDER BY r.released_rows DESC, CAST(CONV(CONCAT(SUBSTR(MD5(`r`.`released_1`), 15, 2), SUBSTR(MD5(`r`.`released_1`), 13, 2), SUBSTR(MD5(`r`.`released_1`), 11, 2), SUBSTR(MD5(`r`.`released_1`), 9, 2), SUBSTR(MD5(`r`.`released_1`), 7, 2), SUBSTR(MD5(`r`.`released_1`), 5, 2), SUBSTR(MD5(`r`.`released_1`), 3, 2), SUBSTR(MD5(`r`.`released_1`), 1, 1)), 16, 10) AS DECIMAL(20, 0))
LIMIT 1
