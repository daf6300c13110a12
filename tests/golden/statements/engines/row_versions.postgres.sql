-- row_versions
SELECT COUNT(*) AS row_count, SUM(HASHTIDEXTENDED(v.ctid, CAST(v.tableoid AS BIGINT))) AS "row_hash"
FROM "pub lic"."pe""ople" AS v
