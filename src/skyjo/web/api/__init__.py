"""The API for programs, version 1: what the pages show and do, as JSON. See ``docs/api.md``."""
