-- count_unfit
SELECT COUNT(*) AS runs
FROM "un'fit runs" AS u
