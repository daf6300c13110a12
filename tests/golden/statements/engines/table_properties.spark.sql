-- table_properties
SHOW TBLPROPERTIES `pub lic`.`pe"ople`
