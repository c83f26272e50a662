"""The command line; every command lives in a module of its own, loaded when it is called."""
