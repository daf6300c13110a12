-- stored_values
CREATE TEMP TABLE "see'n" AS
SELECT
  NULLIF("f"."na'me", '') AS "na'me",
  CASE WHEN "f"."se'x" = 1 THEN 'ma''le' WHEN "f"."se'x" = 2.5 THEN 'other'
    ELSE CAST("f"."se'x" AS VARCHAR)
  END AS "se'x",
  CAST("f"."a'ge" AS BIGINT) AS "a'ge",
  "f"."weight" AS "weight",
  DATE '1970-01-01' + CAST(FLOOR("f"."born" / 86400) - 141428 AS INTEGER) AS "born",
  make_timestamp_ms(CAST(ROUND("f"."seen" / 86400000 * 86400000) AS BIGINT) - 315619200000) AS "seen",
  "f"."as it is" AS "as it is"
FROM (
  SELECT
    "f"."na'me",
    NULLIF("f"."se'x", CAST('NaN' AS DOUBLE)) AS "se'x",
    NULLIF("f"."a'ge", CAST('NaN' AS DOUBLE)) AS "a'ge",
    NULLIF("f"."weight", CAST('NaN' AS DOUBLE)) AS "weight",
    NULLIF("f"."born", CAST('NaN' AS DOUBLE)) AS "born",
    NULLIF("f"."seen", CAST('NaN' AS DOUBLE)) AS "seen",
    "f"."as it is"
  FROM "tak'en" AS f
) AS f
