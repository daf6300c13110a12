-- born_rows
CREATE TEMP TABLE "born; --" AS
SELECT f.*
FROM "fresh; --" AS f
LEFT JOIN "held; --" AS u ON u.class_hash = f.class_hash
WHERE u.class_hash IS NULL
