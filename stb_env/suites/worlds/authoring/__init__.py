"""Helps with new kits: checks them, and begins one."""
