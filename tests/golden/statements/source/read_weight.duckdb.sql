-- read_weight
CREATE TEMP VIEW "texts' weights" AS
SELECT
  "f"."key_1",
  TRY_CAST("f"."row_count" AS DECIMAL(30, 15)) AS "row_count"
FROM "frequency ""set"" 0" AS f
