"""The addresses of the pages, by concern."""
