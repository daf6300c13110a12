-- count_short_signatures
SELECT COUNT(*) AS short_groups
FROM (
  SELECT COUNT(*) AS people
  FROM "peo;ple of all" AS p
  LEFT JOIN (
    SELECT
      t.person,
      STRING_AGG(t.event, '|' ORDER BY t.event) AS signature
    FROM (
      SELECT
        "s"."pa.tient" AS person,
        CONCAT(
          '0', ',',
          COALESCE(LENGTH(CAST("s"."wa;rd" AS VARCHAR)) || ':' || CAST("s"."wa;rd" AS VARCHAR), 'NULL')
        ) AS event
      FROM "eve'nt staged" AS s
      UNION ALL
      SELECT
        "s"."pa.tient" AS person,
        CONCAT(
          '1', ',',
          COALESCE(LENGTH(CAST("s"."wa;rd" AS VARCHAR)) || ':' || CAST("s"."wa;rd" AS VARCHAR), 'NULL')
        ) AS event
      FROM "vis;its" AS s
    ) AS t
    GROUP BY t.person
  ) AS e ON e.person = "p"."i'd"
  GROUP BY
    "p"."se'x", e.signature
  HAVING COUNT(*) < 2
) AS t
