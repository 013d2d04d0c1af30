"""Citations in the text of an answer or a report: what is one, exactly where it stands, and what it speaks of.

Parsing says what a text contains; whether that is acceptable is another question (R111). Nothing is rewritten here.
"""
