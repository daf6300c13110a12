-- short_itemsets-1
CREATE TEMP TABLE "short; 1" AS
SELECT
  i.class_id,
  i.label_id AS label_1
FROM "li'st items" AS i
GROUP BY
  i.class_id,
  i.label_id
HAVING COUNT(*) < 2
