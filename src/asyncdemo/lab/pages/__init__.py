"""The lab's part of the docs site: articles, their audit, and our records, as HTML. Made when it is built."""
