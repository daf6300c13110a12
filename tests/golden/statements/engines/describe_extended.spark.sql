-- describe_extended
DESCRIBE TABLE EXTENDED `pub lic`.`pe"ople`
