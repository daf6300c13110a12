-- postgres
DROP STATISTICS "pub lic"."o'ther"
