"""The stores: one folder for each technology; each implements ports that other packages declare."""
