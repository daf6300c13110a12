-- spark
SHOW TBLPROPERTIES `pub lic`.`pe"ople`
