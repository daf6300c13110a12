-- item_numbers
CREATE TEMP TABLE "li'st numbers" AS
SELECT
  d.value,
  ROW_NUMBER() OVER (ORDER BY encode(CAST("d"."value" AS VARCHAR))) AS item_id
FROM "li'st domain" AS d
WHERE d.value IS NOT NULL
