-- lock_definition
LOCK TABLE "pub lic"."pe""ople" IN SHARE UPDATE EXCLUSIVE MODE
