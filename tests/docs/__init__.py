"""The documentation is true: its blocks run, its written parts are current, its site builds."""
