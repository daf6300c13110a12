-- duckdb
WITH row_texts AS (
  SELECT
    "s"."_kanon_entity" AS person,
    CONCAT(
      COALESCE(CONCAT(LENGTH(decode(encode(CAST("se""x" AS VARCHAR)))), ':', decode(encode(CAST("se""x" AS VARCHAR)))), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH(decode(encode(CAST("zip; --" AS VARCHAR)))), ':', decode(encode(CAST("zip; --" AS VARCHAR)))), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH(decode(encode(CAST("age
of 👩_low" AS VARCHAR)))), ':', decode(encode(CAST("age
of 👩_low" AS VARCHAR)))), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH(decode(encode(CAST("age
of 👩_high" AS VARCHAR)))), ':', decode(encode(CAST("age
of 👩_high" AS VARCHAR)))), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH(decode(encode(CAST("SELECT" AS VARCHAR)))), ':', decode(encode(CAST("SELECT" AS VARCHAR)))), 'NULL'),
      ','
    ) AS row_text
  FROM "staged'" AS s
),
persons AS (
  SELECT
    person,
    ARRAY_TO_STRING(LIST_SORT(LIST("row_text")), ',') AS signature
  FROM row_texts AS r
  GROUP BY person
),
signed_rows AS (
  SELECT
    t.*,
    p.signature AS kanon_signature
  FROM "staged'" AS t
  JOIN persons AS p ON "t"."_kanon_entity" IS NOT DISTINCT FROM "p"."person"
)
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "k"."person") AS people
FROM (
  SELECT
    kanon_signature AS "key_1",
    "t"."_kanon_entity" AS person
  FROM signed_rows AS t
) AS k
JOIN (
  SELECT
    kanon_signature AS "key_1",
    COUNT(DISTINCT "_kanon_entity") AS "class_size"
  FROM signed_rows AS t
  GROUP BY kanon_signature
) AS c
  ON "k"."key_1" IS NOT DISTINCT FROM "c"."key_1"
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

-- postgres
WITH row_texts AS (
  SELECT
    "s"."_kanon_entity" AS person,
    CONCAT(
      COALESCE(CONCAT(LENGTH((CAST("se""x" AS TEXT) COLLATE "default")), ':', (CAST("se""x" AS TEXT) COLLATE "default")), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST("zip; --" AS TEXT) COLLATE "default")), ':', (CAST("zip; --" AS TEXT) COLLATE "default")), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST("age
of 👩_low" AS TEXT) COLLATE "default")), ':', (CAST("age
of 👩_low" AS TEXT) COLLATE "default")), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST("age
of 👩_high" AS TEXT) COLLATE "default")), ':', (CAST("age
of 👩_high" AS TEXT) COLLATE "default")), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST("SELECT" AS TEXT) COLLATE "default")), ':', (CAST("SELECT" AS TEXT) COLLATE "default")), 'NULL'),
      ','
    ) AS row_text
  FROM "staged'" AS s
),
persons AS (
  SELECT
    person,
    COALESCE(STRING_AGG("row_text", ',' ORDER BY "row_text" COLLATE "C"), '') AS signature
  FROM row_texts AS r
  GROUP BY person
),
signed_rows AS (
  SELECT
    t.*,
    p.signature AS kanon_signature
  FROM "staged'" AS t
  JOIN persons AS p ON ARRAY["t"."_kanon_entity"] = ARRAY["p"."person"]
)
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "k"."person") AS people
FROM (
  SELECT
    kanon_signature AS "key_1",
    "t"."_kanon_entity" AS person
  FROM signed_rows AS t
) AS k
JOIN (
  SELECT
    kanon_signature AS "key_1",
    COUNT(DISTINCT "_kanon_entity") AS "class_size"
  FROM signed_rows AS t
  GROUP BY kanon_signature
) AS c
  ON ARRAY["k"."key_1"] = ARRAY["c"."key_1"]
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1

-- spark
WITH row_texts AS (
  SELECT
    `s`.`_kanon_entity` AS person,
    CONCAT(
      COALESCE(CONCAT(LENGTH((CAST(`se"x` AS STRING) COLLATE UTF8_BINARY)), ':', (CAST(`se"x` AS STRING) COLLATE UTF8_BINARY)), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST(`zip; --` AS STRING) COLLATE UTF8_BINARY)), ':', (CAST(`zip; --` AS STRING) COLLATE UTF8_BINARY)), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST(`age
of 👩_low` AS STRING) COLLATE UTF8_BINARY)), ':', (CAST(`age
of 👩_low` AS STRING) COLLATE UTF8_BINARY)), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST(`age
of 👩_high` AS STRING) COLLATE UTF8_BINARY)), ':', (CAST(`age
of 👩_high` AS STRING) COLLATE UTF8_BINARY)), 'NULL'),
      ',',
      COALESCE(CONCAT(LENGTH((CAST(`SELECT` AS STRING) COLLATE UTF8_BINARY)), ':', (CAST(`SELECT` AS STRING) COLLATE UTF8_BINARY)), 'NULL'),
      ','
    ) AS row_text
  FROM `staged'` AS s
),
persons AS (
  SELECT
    person,
    ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`row_text`)), ',') AS signature
  FROM row_texts AS r
  GROUP BY person
),
signed_rows AS (
  SELECT
    t.*,
    p.signature AS kanon_signature
  FROM `staged'` AS t
  JOIN persons AS p ON `t`.`_kanon_entity` IS NOT DISTINCT FROM `p`.`person`
)
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT `k`.`person`) AS people
FROM (
  SELECT
    kanon_signature AS `key_1`,
    `t`.`_kanon_entity` AS person
  FROM signed_rows AS t
) AS k
JOIN (
  SELECT
    kanon_signature AS `key_1`,
    COUNT(DISTINCT `_kanon_entity`) AS `class_size`
  FROM signed_rows AS t
  GROUP BY kanon_signature
) AS c
  ON `k`.`key_1` IS NOT DISTINCT FROM `c`.`key_1`
WHERE CASE WHEN `class_size` >= 2 THEN 0 ELSE 1 END = 1
