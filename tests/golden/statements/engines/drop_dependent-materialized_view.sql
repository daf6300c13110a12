-- postgres
DROP MATERIALIZED VIEW "pub lic"."o'ther"
