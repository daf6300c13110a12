DROP TABLE IF EXISTS `main`.`re"lease`
