-- repeated_rows
CREATE TEMP VIEW "repe'ated" AS
SELECT "row_count"
FROM (
  SELECT "row_count", UNNEST(RANGE("kanon_2")) AS "kanon_0"
  FROM (
    SELECT "row_count", LEAST(2048, "kanon_2" - "kanon_0" * 2048) AS "kanon_2"
    FROM (
      SELECT "row_count", "kanon_2", UNNEST(RANGE("kanon_1")) AS "kanon_0"
      FROM (
        SELECT
          "s"."row_count" AS "row_count",
          CAST("s"."row_count" AS BIGINT) AS "kanon_2",
          CAST(("s"."row_count" - 1 - MOD("s"."row_count" - 1, 2048)) / 2048 AS BIGINT) + 1 AS "kanon_1"
        FROM "frequency ""set"" 0" AS s
      ) AS w
    ) AS b
  ) AS l
) AS r
