-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MAX("measure_2") AS "most_2",
  MAX("measure_3") AS "most_3",
  MAX("measure_4") AS "most_4",
  MAX("measure_5") AS "most_5",
  MAX("measure_6") AS "most_6",
  MAX("measure_7") AS "most_7",
  MAX("measure_8") AS "most_8",
  COALESCE(SUM(CASE WHEN "class_size" >= 1 AND "measure_1" >= 693147178 AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COALESCE(CAST(ROUND((
      GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)
      - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      + (MAX("kanon_persons_of_class_0") - 1000000000 * MAX("kanon_in_class_0") % (MAX("kanon_persons_of_class_0"))) % (MAX("kanon_persons_of_class_0"))
    ) / (MAX("kanon_persons_of_class_0"))) AS BIGINT), 1000000000) AS "measure_3",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_persons_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0) % ("kanon_in_table_0" * "kanon_persons_of_class_0")) % ("kanon_in_table_0" * "kanon_persons_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_persons_of_class_0"))) AS BIGINT), 1000000000000000000) AS "measure_4",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_persons_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0) % ("kanon_in_table_0" * "kanon_persons_of_class_0")) % ("kanon_in_table_0" * "kanon_persons_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_persons_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_persons_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) AS "measure_5",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) AS "measure_6",
    COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) AS "measure_7",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))
    ) / ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) AS BIGINT), 1000000000) AS "measure_8"
  FROM (
  SELECT
    r.*,
    CAST("x1".place AS DECIMAL(38, 0)) AS "kanon_cross_place_1",
    CAST("x1".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_1"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)) ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0",
    SUM("kanon_in_class_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1" ROWS UNBOUNDED PRECEDING) AS "kanon_running_1",
    COALESCE(LEAD("kanon_place_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_in_all_1") AS "kanon_next_place_1",
    COALESCE(LEAD("kanon_sum_before_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_sum_of_all_1") AS "kanon_next_sum_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST(SUM(r."kanon_person_0") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)) AS "kanon_persons_of_class_0",
    CAST("w0".table_persons AS DECIMAL(38, 0)) AS "kanon_persons_of_table_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR))) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST("w1".place AS DECIMAL(38, 0)) AS "kanon_place_1",
    CAST("w1".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_1",
    CAST("w1".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."dis'ease", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), CASE WHEN "r"."dis'ease" IS NULL THEN 1 ELSE 0 END, "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_person_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY encode(CAST("r"."se""x" AS VARCHAR)), encode(CAST("r"."zip; --" AS VARCHAR)), encode(CAST("r"."age
of 👩_low" AS VARCHAR)), encode(CAST("r"."age
of 👩_high" AS VARCHAR)), encode(CAST("r"."SELECT" AS VARCHAR)), "r"."ward 🏥", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "staged'" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON "r"."dis'ease" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, CASE decode(encode(CAST("t"."ward 🏥" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, encode(CAST("t"."ward 🏥" AS VARCHAR))) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND CASE decode(encode(CAST("t"."ward 🏥" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "w1"
  ON "r"."ward 🏥" IS NOT DISTINCT FROM "w1"."value"
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, CASE decode(encode(CAST("t"."ward 🏥" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, encode(CAST("t"."ward 🏥" AS VARCHAR))) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND CASE decode(encode(CAST("t"."ward 🏥" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "x1"
  ON "x1".rows_up_to - "x1".value_rows <= CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) < "x1".rows_up_to
) AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MAX("measure_2") AS "most_2",
  MAX("measure_3") AS "most_3",
  MAX("measure_4") AS "most_4",
  MAX("measure_5") AS "most_5",
  MAX("measure_6") AS "most_6",
  MAX("measure_7") AS "most_7",
  MAX("measure_8") AS "most_8",
  COALESCE(SUM(CASE WHEN "class_size" >= 1 AND "measure_1" >= 693147178 AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COALESCE(CAST(ROUND((
      GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)
      - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 0) AS "measure_1",
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) AS "measure_2",
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      + (MAX("kanon_persons_of_class_0") - 1000000000 * MAX("kanon_in_class_0") % (MAX("kanon_persons_of_class_0"))) % (MAX("kanon_persons_of_class_0"))
    ) / (MAX("kanon_persons_of_class_0"))) AS BIGINT), 1000000000) AS "measure_3",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_persons_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0) % ("kanon_in_table_0" * "kanon_persons_of_class_0")) % ("kanon_in_table_0" * "kanon_persons_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_persons_of_class_0"))) AS BIGINT), 1000000000000000000) AS "measure_4",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_persons_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0" - "kanon_in_table_0" * "kanon_persons_of_class_0", 0) % ("kanon_in_table_0" * "kanon_persons_of_class_0")) % ("kanon_in_table_0" * "kanon_persons_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_persons_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_persons_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) AS "measure_5",
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_persons_of_table_0", "kanon_in_table_0" * "kanon_persons_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) AS "measure_6",
    COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) AS "measure_7",
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))
    ) / ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) AS BIGINT), 1000000000) AS "measure_8"
  FROM (
  SELECT
    r.*,
    CAST("x1".place AS DECIMAL(38, 0)) AS "kanon_cross_place_1",
    CAST("x1".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_1"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C") ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0",
    SUM("kanon_in_class_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1" ROWS UNBOUNDED PRECEDING) AS "kanon_running_1",
    COALESCE(LEAD("kanon_place_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_in_all_1") AS "kanon_next_place_1",
    COALESCE(LEAD("kanon_sum_before_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_sum_of_all_1") AS "kanon_next_sum_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease" ORDER BY "r"."dis'ease") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST(SUM(r."kanon_person_0") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)) AS "kanon_persons_of_class_0",
    CAST("w0".table_persons AS DECIMAL(38, 0)) AS "kanon_persons_of_table_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥" ORDER BY "r"."ward 🏥") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C")) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST("w1".place AS DECIMAL(38, 0)) AS "kanon_place_1",
    CAST("w1".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_1",
    CAST("w1".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."dis'ease", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND "r"."dis'ease" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), CASE WHEN "r"."dis'ease" IS NULL THEN 1 ELSE 0 END, "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_person_0",
    CASE
      WHEN "r"."_kanon_entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY (CAST("r"."se""x" AS TEXT) COLLATE "C"), (CAST("r"."zip; --" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("r"."age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("r"."SELECT" AS TEXT) COLLATE "C"), "r"."ward 🏥", "r"."_kanon_entity" ORDER BY "r"."_kanon_entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "staged'" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON ARRAY["r"."dis'ease"] = ARRAY["w0"."value"]
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, CASE (CAST("t"."ward 🏥" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, (CAST("t"."ward 🏥" AS TEXT) COLLATE "C")) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND CASE (CAST("t"."ward 🏥" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "w1"
  ON ARRAY["r"."ward 🏥"] = ARRAY["w1"."value"]
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN "t"."ward 🏥" IS NULL THEN 0 ELSE 1 END, CASE (CAST("t"."ward 🏥" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, (CAST("t"."ward 🏥" AS TEXT) COLLATE "C")) - 1 AS place,
  SUM(CASE WHEN "t"."ward 🏥" IS NOT NULL AND CASE (CAST("t"."ward 🏥" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
  ) AS v
) AS u
) AS "x1"
  ON "x1".rows_up_to - "x1".value_rows <= CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) < "x1".rows_up_to
) AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  MIN(`measure_1`) AS `least_1`,
  MAX(`measure_2`) AS `most_2`,
  MAX(`measure_3`) AS `most_3`,
  MAX(`measure_4`) AS `most_4`,
  MAX(`measure_5`) AS `most_5`,
  MAX(`measure_6`) AS `most_6`,
  MAX(`measure_7`) AS `most_7`,
  MAX(`measure_8`) AS `most_8`,
  COALESCE(SUM(CASE WHEN `class_size` >= 1 AND `measure_1` >= 693147178 AND `measure_2` <= 2250000000 AND `measure_3` <= 750000000 AND `measure_4` <= 2000000000 AND `measure_5` <= 0 AND `measure_6` <= 2828427124 AND `measure_7` <= 0 AND `measure_8` <= 500000000 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT `_kanon_entity`) AS `class_size`,
    COALESCE(CAST(ROUND((
      GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0)
      - GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0) % (MAX(`kanon_of_class_0`))
    ) / (MAX(`kanon_of_class_0`))) AS BIGINT), 0) AS `measure_1`,
    COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_0`)
      - 1000000000 * MAX(`kanon_in_class_0`) % (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))
    ) / (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))) AS BIGINT) + 1, 1000000000000000000) AS `measure_2`,
    COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_0`)
      + (MAX(`kanon_persons_of_class_0`) - 1000000000 * MAX(`kanon_in_class_0`) % (MAX(`kanon_persons_of_class_0`))) % (MAX(`kanon_persons_of_class_0`))
    ) / (MAX(`kanon_persons_of_class_0`))) AS BIGINT), 1000000000) AS `measure_3`,
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0` - `kanon_in_table_0` * `kanon_persons_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_persons_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0` - `kanon_in_table_0` * `kanon_persons_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_persons_of_class_0`)) % (`kanon_in_table_0` * `kanon_persons_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_persons_of_class_0`))) AS BIGINT), 1000000000000000000) AS `measure_4`,
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0` - `kanon_in_table_0` * `kanon_persons_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_persons_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0` - `kanon_in_table_0` * `kanon_persons_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_persons_of_class_0`)) % (`kanon_in_table_0` * `kanon_persons_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_persons_of_class_0`))      + CAST(ROUND(1000000000 * LN(`kanon_in_table_0`)) AS BIGINT) - CAST(ROUND(1000000000 * LN(`kanon_persons_of_table_0`)) AS BIGINT)) AS BIGINT), 1000000000000000000) AS `measure_5`,
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0`, `kanon_in_table_0` * `kanon_persons_of_class_0`) END
      - 1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_persons_of_table_0`, `kanon_in_table_0` * `kanon_persons_of_class_0`) END % (LEAST(`kanon_in_class_0` * `kanon_persons_of_table_0`, `kanon_in_table_0` * `kanon_persons_of_class_0`))
    ) / (LEAST(`kanon_in_class_0` * `kanon_persons_of_table_0`, `kanon_in_table_0` * `kanon_persons_of_class_0`)))) AS BIGINT) + 1, 1000000000000000000) AS `measure_6`,
    COALESCE(MAX(`kanon_in_all_0`) - COUNT(`kanon_in_class_0`), 1000000000000000000) AS `measure_7`,
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN `kanon_in_class_1` IS NOT NULL THEN
        `kanon_running_1` * `kanon_of_table_1` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_1`, `kanon_in_all_1`), `kanon_place_1`), `kanon_next_place_1`) - `kanon_place_1` - `kanon_next_place_1`)
        + `kanon_of_class_1` * (`kanon_sum_before_1` + `kanon_next_sum_1` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_1`, `kanon_sum_of_all_1`), `kanon_sum_before_1`), `kanon_next_sum_1`))
        + CASE WHEN `kanon_running_1` = `kanon_in_class_1` THEN `kanon_of_class_1` * `kanon_sum_before_1` ELSE 0 END
      END)
      + ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)) - 1000000000 * SUM(CASE WHEN `kanon_in_class_1` IS NOT NULL THEN
        `kanon_running_1` * `kanon_of_table_1` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_1`, `kanon_in_all_1`), `kanon_place_1`), `kanon_next_place_1`) - `kanon_place_1` - `kanon_next_place_1`)
        + `kanon_of_class_1` * (`kanon_sum_before_1` + `kanon_next_sum_1` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_1`, `kanon_sum_of_all_1`), `kanon_sum_before_1`), `kanon_next_sum_1`))
        + CASE WHEN `kanon_running_1` = `kanon_in_class_1` THEN `kanon_of_class_1` * `kanon_sum_before_1` ELSE 0 END
      END) % ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))) % ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))
    ) / ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))) AS BIGINT), 1000000000) AS `measure_8`
  FROM (
  SELECT
    r.*,
    CAST(`x1`.place AS DECIMAL(38, 0)) AS `kanon_cross_place_1`,
    CAST(`x1`.sum_before AS DECIMAL(38, 0)) AS `kanon_cross_sum_1`
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY) ORDER BY COALESCE(`kanon_in_class_0`, 0) DESC) AS `kanon_rank_0`,
    SUM(`kanon_in_class_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1` ROWS UNBOUNDED PRECEDING) AS `kanon_running_1`,
    COALESCE(LEAD(`kanon_place_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1`), `kanon_in_all_1`) AS `kanon_next_place_1`,
    COALESCE(LEAD(`kanon_sum_before_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1`), `kanon_sum_of_all_1`) AS `kanon_next_sum_1`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease` ORDER BY `r`.`dis'ease`) = 1
          THEN SUM(r.`kanon_pair_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(r.`kanon_pair_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(SUM(r.`kanon_person_0`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)) AS `kanon_persons_of_class_0`,
    CAST(`w0`.table_persons AS DECIMAL(38, 0)) AS `kanon_persons_of_table_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥` ORDER BY `r`.`ward 🏥`) = 1
          THEN SUM(r.`kanon_pair_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_1`,
    CAST(
      SUM(r.`kanon_pair_1`) OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_1`,
    CAST(`w1`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_1`,
    CAST(`w1`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_1`,
    `w1`.table_values AS `kanon_in_all_1`,
    CAST(`w1`.place AS DECIMAL(38, 0)) AS `kanon_place_1`,
    CAST(`w1`.sum_before AS DECIMAL(38, 0)) AS `kanon_sum_before_1`,
    CAST(`w1`.sum_of_all AS DECIMAL(38, 0)) AS `kanon_sum_of_all_1`
  FROM (
  SELECT
    r.*,
    CASE
      WHEN `r`.`_kanon_entity` IS NOT NULL AND `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`dis'ease`, `r`.`_kanon_entity` ORDER BY `r`.`_kanon_entity`) = 1 THEN 1
    END AS `kanon_pair_0`,
    CASE
      WHEN `r`.`_kanon_entity` IS NOT NULL AND `r`.`dis'ease` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), CASE WHEN `r`.`dis'ease` IS NULL THEN 1 ELSE 0 END, `r`.`_kanon_entity` ORDER BY `r`.`_kanon_entity`) = 1 THEN 1
    END AS `kanon_person_0`,
    CASE
      WHEN `r`.`_kanon_entity` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY CAST(CAST(`r`.`se"x` AS STRING) AS BINARY), CAST(CAST(`r`.`zip; --` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`r`.`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`r`.`SELECT` AS STRING) AS BINARY), `r`.`ward 🏥`, `r`.`_kanon_entity` ORDER BY `r`.`_kanon_entity`) = 1 THEN 1
    END AS `kanon_pair_1`
  FROM `staged'` AS r
  ) AS r
LEFT JOIN (SELECT
  `t`.`dis'ease` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `t`.`who`) FROM `the source; DROP TABLE x` AS t WHERE `t`.`dis'ease` IS NOT NULL) AS table_persons
FROM `the source; DROP TABLE x` AS t
WHERE `t`.`dis'ease` IS NOT NULL
GROUP BY `t`.`dis'ease`
) AS `w0`
  ON `r`.`dis'ease` IS NOT DISTINCT FROM `w0`.`value`
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  `t`.`ward 🏥` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN `t`.`ward 🏥` IS NULL THEN 0 ELSE 1 END, CASE (CAST(`t`.`ward 🏥` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY)) - 1 AS place,
  SUM(CASE WHEN `t`.`ward 🏥` IS NOT NULL AND CASE (CAST(`t`.`ward 🏥` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM `the source; DROP TABLE x` AS t
GROUP BY `t`.`ward 🏥`
  ) AS v
) AS u
) AS `w1`
  ON `r`.`ward 🏥` IS NOT DISTINCT FROM `w1`.`value`
  ) AS r
  ) AS r
LEFT JOIN (SELECT
  value,
  value_rows,
  CASE WHEN unplaced = 0 THEN table_rows END AS table_rows,
  table_values,
  place,
  rows_up_to,
  SUM(rows_up_to) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - rows_up_to AS sum_before,
  SUM(rows_up_to) OVER () AS sum_of_all
FROM (
  SELECT
    v.*,
    SUM(value_rows) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS rows_up_to
  FROM (
SELECT
  `t`.`ward 🏥` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  ROW_NUMBER() OVER (ORDER BY CASE WHEN `t`.`ward 🏥` IS NULL THEN 0 ELSE 1 END, CASE (CAST(`t`.`ward 🏥` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY)) - 1 AS place,
  SUM(CASE WHEN `t`.`ward 🏥` IS NOT NULL AND CASE (CAST(`t`.`ward 🏥` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END IS NULL THEN 1 ELSE 0 END) OVER () AS unplaced
FROM `the source; DROP TABLE x` AS t
GROUP BY `t`.`ward 🏥`
  ) AS v
) AS u
) AS `x1`
  ON `x1`.rows_up_to - `x1`.value_rows <= CAST(ROUND((r.`kanon_running_1` * r.`kanon_of_table_1` - (r.`kanon_running_1` * r.`kanon_of_table_1`) % r.`kanon_of_class_1`) / r.`kanon_of_class_1`) AS DECIMAL(38, 0)) AND CAST(ROUND((r.`kanon_running_1` * r.`kanon_of_table_1` - (r.`kanon_running_1` * r.`kanon_of_table_1`) % r.`kanon_of_class_1`) / r.`kanon_of_class_1`) AS DECIMAL(38, 0)) < `x1`.rows_up_to
) AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
