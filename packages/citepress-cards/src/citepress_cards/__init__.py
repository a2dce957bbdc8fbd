"""Cards, an extension: the picture that stands for a page where it is shared, and icons from one SVG."""
