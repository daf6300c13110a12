ALTER VIEW `se'en` SET TBLPROPERTIES ('comment' = 'it\'s a view')
