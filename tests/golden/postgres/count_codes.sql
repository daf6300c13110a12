SELECT COUNT(code) AS counted
FROM "values dis'ease" AS c
