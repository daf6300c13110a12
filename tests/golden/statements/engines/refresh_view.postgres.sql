-- refresh_view
REFRESH MATERIALIZED VIEW "pub lic"."o'ther"
