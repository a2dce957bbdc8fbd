"""What machines read: contracts, guides, maps of the site and files under fixed names."""
