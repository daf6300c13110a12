-- next_rows
CREATE TEMP TABLE "next; --" AS
SELECT
  t."se""x",
  t."zip; --",
  t."dis'ease"
FROM (
  SELECT
    p."se""x",
    p."zip; --",
    p."dis'ease",
    UNNEST(RANGE("p"."series_stay")) AS series_nth
  FROM (
    SELECT
      c."se""x",
      c."zip; --",
      c."dis'ease",
      c.series_copies - COALESCE(l.copies, 0) AS series_stay
    FROM "contents; --" AS c
    LEFT JOIN (
      SELECT
        content_hash,
        COUNT(*) AS copies
      FROM "leaving; --" AS l
      GROUP BY content_hash
    ) AS l ON l.content_hash = c.content_hash
  ) AS p
  WHERE p.series_stay > 0
  UNION ALL
  SELECT
    f."se""x",
    f."zip; --",
    f."dis'ease",
    0 AS series_nth
  FROM "fresh; --" AS f
  LEFT JOIN "held; --" AS u ON u.class_hash = f.class_hash
  WHERE u.class_hash IS NULL
) AS t
ORDER BY random()
