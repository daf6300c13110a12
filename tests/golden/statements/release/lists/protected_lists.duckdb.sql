-- protected_lists
CREATE TEMP TABLE "li'st staged" AS
SELECT
  "s"."zip; --" AS "zip; --",
  CASE WHEN "s"."SELECT" IS NOT NULL THEN COALESCE(ARRAY_TO_STRING("l"."items", ';'), '') END AS "SELECT"
FROM "li'st numbered" AS s
LEFT JOIN (
  SELECT
    u.row_id,
    ARRAY_AGG("u"."label" ORDER BY "u"."label") AS items
  FROM (
    SELECT DISTINCT
      c.row_id,
      n.label
    FROM "li'st cells" AS c
    JOIN "li'st numbers" AS i ON i.value = c.item
    JOIN "li'st after" AS v ON v.class_id = c.class_id AND v.item_id = i.item_id
    JOIN "li'st nodes" AS n ON n.item_id = v.item_id AND n.level = v.level
  ) AS u
  GROUP BY u.row_id
) AS l ON l.row_id = "s"."kanon_row"
ORDER BY random()
