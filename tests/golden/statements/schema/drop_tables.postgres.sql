-- drop_tables
DROP TABLE "a'n;on"."vis;its", "a'"
