"""The documents about the endpoint, in the order in which guides list them."""

from citepress_mcp.documents import connect, server_card, skill_files

ALL = (*connect.ALL, *server_card.ALL, *skill_files.ALL)
