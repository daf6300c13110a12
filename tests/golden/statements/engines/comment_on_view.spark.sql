-- comment_on_view
ALTER VIEW `se'en` SET TBLPROPERTIES ('comment' = 'it\'s a view')
