"""HTML pages that are made to harm whoever parses them, of any size."""

from __future__ import annotations

SENTENCE = b"The barrier consists of fourteen gates, each as wide as a street is long. "


def nested(size: int) -> bytes:
    """Nothing but `div` within `div`, so many bytes."""
    return b"<html><body>" + b"<div>" * (size // 5)


def nested_text(depth: int) -> bytes:
    """A page that says something, so many levels down."""
    return b"<html lang=en><title>Gates</title><body>" + b"<div>" * depth + b"<p>" + SENTENCE * 5


def attributes(count: int) -> bytes:
    """One element with so many attributes, all different."""
    return b"<html><body><p " + b" ".join(b"a%d=1" % number for number in range(count)) + b">" + SENTENCE * 5


def tables(count: int) -> bytes:
    """So many tables, each in a cell of the one before."""
    return b"<html><body>" + b"<table><tr><td>" * count


def formatting(count: int) -> bytes:
    """So many formatting elements that are never closed and overlap."""
    return b"<html><body>" + b"<b><p><i>" * count + SENTENCE


def comments(count: int) -> bytes:
    """So many comments, none of them closed."""
    return b"<html><body><p>" + SENTENCE + b"<!--" * count


def quotes(count: int) -> bytes:
    """So many tags whose quotes do not end."""
    return b"<html><body><p>" + SENTENCE + b"<a href=\"x' " * count


def paragraphs(count: int) -> bytes:
    """So many paragraphs."""
    return b"<html><body>" + b"<p>words that take the extractor its time to look at</p>" * count
