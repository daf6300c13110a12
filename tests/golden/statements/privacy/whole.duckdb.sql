-- whole-weighed
SELECT
  COUNT(DISTINCT "entity"),
  COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000),
  COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0))
      + (MAX("kanon_of_class_1") * MAX("kanon_of_table_1") - 1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))
    ) / (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) AS BIGINT), 1000000000)
FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "sensitive_1" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY 0, "sensitive_1" ORDER BY "sensitive_1") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY 0, "sensitive_1")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY 0) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN "sensitive_2" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY 0, "sensitive_2" ORDER BY "sensitive_2") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY 0, "sensitive_2")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY 0) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "sensitive_1" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY 0, "sensitive_1", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."entity" IS NOT NULL AND "sensitive_2" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY 0, "sensitive_2", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "frequency ""set"" 2" AS r
  ) AS r
LEFT JOIN "values' counts 0" AS "w0"
  ON "sensitive_1" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN "values' counts 1" AS "w1"
  ON "sensitive_2" IS NOT DISTINCT FROM "w1"."value"
) AS w
