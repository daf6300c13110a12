-- vacuum_full
VACUUM (FULL) "pub lic"."o'ther"
