{# No value of a column repeats, so that it joins no rows: a pseudonym that the policy does not accept as linkable.
   A failure has a count and never a value. #}
{% test no_repeats(model, column) %}
select count({{ kanon.quote(column) }}) - count(distinct {{ kanon.quote(column) }}) as repeated_rows
from {{ model }}
having count({{ kanon.quote(column) }}) > count(distinct {{ kanon.quote(column) }})
{% endtest %}
