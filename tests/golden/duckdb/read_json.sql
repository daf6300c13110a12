CREATE TEMP TABLE "from json" AS
SELECT *
FROM read_json('pe''ople.ndjson')
