-- comment_on_view
COMMENT ON VIEW "se'en" IS 'it''s a view'
