SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MIN("measure_2") AS "least_2",
  COALESCE(SUM(CASE WHEN "class_size" >= 1 AND "measure_1" >= 2 AND "measure_2" >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COUNT(DISTINCT "dis'ease") AS "measure_1",
    COUNT(DISTINCT "ward 🏥")
    + MAX(CASE WHEN "ward 🏥" IS NULL THEN 1 ELSE 0 END) AS "measure_2"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease")
      END AS DECIMAL(38, 0)
    ) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."dis'ease" IS NOT NULL THEN 1 END) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥")
      END AS DECIMAL(38, 0)
    ) AS "kanon_in_class_1",
    CAST(
      SUM(1) OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1"
  FROM "staged'" AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease") AS "w0"
  ON "r"."dis'ease" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  SUM(1) AS value_rows,
  SUM(SUM(1)) OVER () AS table_rows
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥") AS "w1"
  ON "r"."ward 🏥" IS NOT DISTINCT FROM "w1"."value"
) AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes
