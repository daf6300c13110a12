-- uncache
UNCACHE TABLE IF EXISTS `pub lic`.`pe"ople`
