"""A path finds the row that fits it, however the table is searched."""

from citepress.app.registry import table


def test_the_lookup_by_first_part_gives_the_first_row_that_fits() -> None:
    routes = table()
    paths = {"/", "", "/x", "/a/b", "//posts/", "/posts//", "/posts/a/b/", "/posts", "/robots.txt/", "/2026/llms.txt"}
    for route in routes:
        paths |= {route.fill({parameter.name: parameter.example for parameter in route.parameters}), route.path}
    for path in sorted(paths):
        for method in ("GET", "POST"):
            fitting = (row for row in routes if row.method == method and row.pattern.fullmatch(path))
            assert routes.match(path, method) is next(fitting, None), path
