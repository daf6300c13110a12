-- spans
CREATE TEMP TABLE "spa'ns" AS
SELECT f.number AS "first", l.number AS "last", n.number
FROM "up't o" AS l
JOIN "up't o" AS f ON f.number <= l.number AND (f.number = 0 OR l.number <= 10)
JOIN "up't o" AS n ON n.number BETWEEN f.number AND l.number
