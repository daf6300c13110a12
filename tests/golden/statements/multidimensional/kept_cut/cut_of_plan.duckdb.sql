-- cut_of_plan
CREATE TEMP TABLE "seen cu't" AS
SELECT region, axis, low, high, child
FROM "kept cu't" AS s
WHERE plan = 'a''b;--'
