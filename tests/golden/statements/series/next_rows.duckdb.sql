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
    p."dis'ease"
  FROM (
    SELECT
      p.*,
      c.leaving_copies,
      CASE
        WHEN c.leaving_copies IS NULL THEN NULL
        ELSE ROW_NUMBER() OVER (PARTITION BY c.content_text, c.leaving_copies)
      END AS nth
    FROM "previous; --" AS p
    LEFT JOIN (
      SELECT
        c.content_text,
        COUNT(*) AS leaving_copies
      FROM "leaving; --" AS l
      JOIN "contents; --" AS c ON c.content_hash = l.content_hash
      GROUP BY c.content_text
    ) AS c ON c.content_text = p.content_text
  ) AS p
  WHERE p.leaving_copies IS NULL OR p.nth > p.leaving_copies
  UNION ALL
  SELECT
    b."se""x",
    b."zip; --",
    b."dis'ease"
  FROM "born; --" AS b
) AS t
ORDER BY random()
