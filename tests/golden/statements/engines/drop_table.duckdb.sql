-- drop_table
DROP TABLE IF EXISTS "main"."re""lease"
