-- postgres
TRUNCATE TABLE ONLY "pub lic"."pe""ople"
