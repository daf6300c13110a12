-- joined_people
SELECT
  COALESCE(SUM(same), 0) AS people,
  COALESCE(SUM(CASE WHEN same < 2 THEN same ELSE 0 END), 0) AS below,
  COALESCE(MIN(same), 0) AS fewest
FROM (
  SELECT COUNT(*) AS same
  FROM "peo;ple of all" AS p
  LEFT JOIN (
    SELECT
      "person",
      COUNT(*) AS row_count,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "s"."pa.tient" AS "person",
        CONCAT(
          '',
          COALESCE(LENGTH(CAST("s"."wa;rd" AS VARCHAR)) || ':' || CAST("s"."wa;rd" AS VARCHAR), 'NULL'), ','
        ) AS "row_text"
      FROM "sett'led" AS s
    ) AS t
    GROUP BY "person"
  ) AS "r0" ON "r0"."person" = "p"."i'd"
  LEFT JOIN (
    SELECT
      "person",
      COUNT(*) AS row_count,
      SUM((CAST(md5_number("row_text") & 18446744073709551615 AS UBIGINT) >> 4)) AS rows_hash
    FROM (
      SELECT
        "j0"."pa.tient" AS "person",
        CONCAT(
          '',
          COALESCE(LENGTH(CAST("s"."wa;rd" AS VARCHAR)) || ':' || CAST("s"."wa;rd" AS VARCHAR), 'NULL'), ',',
          COALESCE(LENGTH(CAST("j0"."day" AS VARCHAR)) || ':' || CAST("j0"."day" AS VARCHAR), 'NULL'), ','
        ) AS "row_text"
      FROM "sett'led" AS s
      LEFT JOIN "vis;its" AS "j0" ON "j0"."pa.tient" = "s"."pa.tient"
    ) AS t
    GROUP BY "person"
  ) AS "r1" ON "r1"."person" = "p"."i'd"
  GROUP BY
    "p"."se'x", "r0"."row_count", "r0"."rows_hash", "r1"."row_count", "r1"."rows_hash"
) AS e
