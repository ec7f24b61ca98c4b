"""Reads a page as a browser does, and fails if its tags are not balanced."""

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reader(HTMLParser):
    """Checks that tags are balanced, and keeps attributes and the text that a person reads."""

    def __init__(self, page):
        super().__init__()
        self.open, self.attributes, self.text = [], [], ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def values(self, wanted):
        return [value for _, name, value in self.attributes if name == wanted]
