-- fitting_cuts
CREATE TEMP TABLE "fit'ting" AS
SELECT region, axis, part
FROM (
  SELECT
    region,
    axis,
    part,
    side,
    CASE WHEN COALESCE(CAST(ROUND((
      GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)
      - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 0) >= 405465106 AND COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000) <= 500000000 THEN 1 ELSE 0 END AS fits
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "spread_0" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "region", "axis", "part", "side", "spread_0" ORDER BY "spread_0") = 1
          THEN SUM(r.row_count) OVER (PARTITION BY "region", "axis", "part", "side", "spread_0")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "spread_0" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "region", "axis", "part", "side") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM "sid'es" AS r
LEFT JOIN "values of regi'ons" AS "w0"
  ON "spread_0" IS NOT DISTINCT FROM "w0"."value"
) AS w
  GROUP BY region, axis, part, side
) AS s
GROUP BY region, axis, part
HAVING MIN(fits) = 1
