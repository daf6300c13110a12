-- duckdb
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows
FROM (
  SELECT
    SUM(row_count) AS class_size,
    SUM(row_count) AS row_count
  FROM (
    SELECT *
    FROM "layer of-rows" AS t
    UNION ALL
    SELECT *
    FROM "last of-rows" AS t
  ) AS u
  GROUP BY encode(CAST("u"."label_0" AS VARCHAR)), encode(CAST("u"."label_1" AS VARCHAR)), encode(CAST("u"."label_2" AS VARCHAR)), encode(CAST("u"."label_3" AS VARCHAR))
) AS classes
GROUP BY class_size
ORDER BY class_size

-- postgres
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows
FROM (
  SELECT
    SUM(row_count) AS class_size,
    SUM(row_count) AS row_count
  FROM (
    SELECT *
    FROM "layer of-rows" AS t
    UNION ALL
    SELECT *
    FROM "last of-rows" AS t
  ) AS u
  GROUP BY (CAST("u"."label_0" AS TEXT) COLLATE "C"), (CAST("u"."label_1" AS TEXT) COLLATE "C"), (CAST("u"."label_2" AS TEXT) COLLATE "C"), (CAST("u"."label_3" AS TEXT) COLLATE "C")
) AS classes
GROUP BY class_size
ORDER BY class_size

-- spark
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows
FROM (
  SELECT
    SUM(row_count) AS class_size,
    SUM(row_count) AS row_count
  FROM (
    SELECT *
    FROM `layer of-rows` AS t
    UNION ALL
    SELECT *
    FROM `last of-rows` AS t
  ) AS u
  GROUP BY CAST(CAST(`u`.`label_0` AS STRING) AS BINARY), CAST(CAST(`u`.`label_1` AS STRING) AS BINARY), CAST(CAST(`u`.`label_2` AS STRING) AS BINARY), CAST(CAST(`u`.`label_3` AS STRING) AS BINARY)
) AS classes
GROUP BY class_size
ORDER BY class_size
