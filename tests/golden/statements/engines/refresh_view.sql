-- postgres
REFRESH MATERIALIZED VIEW "pub lic"."o'ther"
