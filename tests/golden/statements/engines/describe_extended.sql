-- spark
DESCRIBE TABLE EXTENDED `pub lic`.`pe"ople`
