"""`forebay audit` around `policies/audit`: files in, tables out.

reading.py    a file as the body of a request, whatever it is
fixed.py      the fixed part of a body, counted as the proxy counts it
model.py      which model: window, prices, vocabulary
money.py      what so many tokens cost a call and a day
audited.py    one file put through all of these
table.py, compared.py, totals.py   one file, two, more: for people, in the columns of columns.py
as_json.py    the same for machines
"""
