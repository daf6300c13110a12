-- lock_table
LOCK TABLE "pub lic"."pe""ople" IN SHARE ROW EXCLUSIVE MODE
