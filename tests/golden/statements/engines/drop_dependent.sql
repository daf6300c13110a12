-- postgres
DROP VIEW "pub lic"."o'ther"
