"""The archive: typed records with every reference resolved, and the faults where one cannot be."""
