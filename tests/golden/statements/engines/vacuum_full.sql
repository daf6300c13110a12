-- postgres
VACUUM (FULL) "pub lic"."o'ther"
