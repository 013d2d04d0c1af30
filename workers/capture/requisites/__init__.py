"""What a page needs to look as it did: found in its HTML and in style sheets, bounded, in the order of need. Pure.

`html.find_in_html` and `css.find_in_css` take decoded text and give absolute addresses; nothing here fetches.
`deploy/decisions` says which elements count, and why scripts do.
"""
