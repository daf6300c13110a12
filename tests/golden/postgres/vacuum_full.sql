VACUUM (FULL) "pub lic"."o'ther"
