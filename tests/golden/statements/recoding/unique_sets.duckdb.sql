-- unique_sets
SELECT
  COALESCE(SUM(same), 0) AS all_values,
  COALESCE(SUM(CASE WHEN same = 1 THEN 1 ELSE 0 END), 0) AS unique_values
FROM (
  SELECT COUNT(*) AS same
  FROM (
    SELECT
      COUNT(*) AS row_count,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "s"."_kanon_entity" AS "link",
        CONCAT(
          COALESCE(LENGTH(CAST("s"."se""x" AS VARCHAR)) || ':' || CAST("s"."se""x" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."zip; --" AS VARCHAR)) || ':' || CAST("s"."zip; --" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_low" AS VARCHAR)) || ':' || CAST("s"."age
of 👩_low" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."age
of 👩_high" AS VARCHAR)) || ':' || CAST("s"."age
of 👩_high" AS VARCHAR), 'NULL'),
          ',',
          COALESCE(LENGTH(CAST("s"."SELECT" AS VARCHAR)) || ':' || CAST("s"."SELECT" AS VARCHAR), 'NULL'),
          ','
        ) AS "row_text"
      FROM "staged'" AS s
      WHERE "s"."_kanon_entity" IS NOT NULL
    ) AS r
    GROUP BY "link"
  ) AS h
  GROUP BY row_count, rows_hash
) AS e
