-- count_missing
SELECT COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
WHERE "na'me" IS NULL
