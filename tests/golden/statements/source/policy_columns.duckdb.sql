-- policy_columns
CREATE TEMP VIEW "pol'icy" AS
SELECT
"f"."key_1" AS "key_1",
CAST(NULL AS VARCHAR(1)) AS "it's ""none",
  "f"."row_count" AS "row_count"
FROM "frequency ""set"" 0" AS f
