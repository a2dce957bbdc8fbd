"""Checks what an archive published, without trusting the server that sent it."""
