-- values_with_entry
CREATE TEMP TABLE "values_with_entry_values" AS
SELECT
  d.value,
  d.row_count
FROM "domain SELECT" AS d
WHERE d.value IS NULL
  OR EXISTS (
    SELECT 1
    FROM "paths SELECT" AS p
    WHERE CAST("d"."value" AS VARCHAR) = "p"."value"
  )
