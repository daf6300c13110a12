-- postgres
LOCK TABLE ONLY "pub lic"."pe""ople" IN SHARE ROW EXCLUSIVE MODE
