"""Small exports of WordPress and Ghost, and a feed, written here, with the traps that real ones hold."""

import json
from html import escape
from pathlib import Path

from support.former_sites import OUT, PNG, FormerBlog, FormerPost, written

BLOCKS = (
    "<!-- wp:paragraph --><p>Words with <strong>weight</strong> &amp; a "
    f'<a href="{OUT}/one?a=1&amp;b=2">link out</a>, 2 * 3 [sic].</p><!-- /wp:paragraph -->'
    '<figure><img src="https://former.test/wp-content/uploads/2018/p-300x200.png" alt="P"/>'
    "<figcaption>Caption</figcaption></figure><pre><code class='language-py'>x = '[y]'</code></pre>"
    "<table><tr><th>A</th><th>B</th></tr><tr><td>1|2</td><td>3</td></tr></table><ul><li>a<ul><li>b</li></ul></li></ul>"
    '<script>alert(1)</script><iframe src="https://player.vimeo.com/video/42"></iframe>'
    '<a href="https://former.test/2018/classic/#c">the other</a>'
)
CLASSIC = (
    '[caption id="x" width="300"]<img src="/wp-content/uploads/2018/p.png" alt=""> Words[/caption]\n\nSecond '
    "<em>paragraph</em>\nwith a break.\n\n[code lang='js']\nif (a &lt; b) {}\n[/code]\n\n[mystery-box id=\"3\"]"
)


TERM = "<category domain='post_tag' nicename='the-t'>T</category>"
WORDPRESS_LISTS = {
    "/feed/": "/rss.xml",
    "/2018/": "/posts/",
    "/2018/02/": "/posts/",
    "/author/ada/": "/posts/",
    "/tag/the-t/": "/tags/t/",
    "/tag/the-t/feed/": "/rss.xml",
}
"""Lists and feeds of the site of WordPress, and where they lead."""


def item(id_: int, name: str, kind: str, content: str, **more: str) -> str:
    values = {
        "title": name.capitalize(),
        "status": "publish",
        "post_date_gmt": f"2018-0{id_}-02 03:04:05",
        "link": f"https://former.test/2018/{name}/",
        "excerpt": "",
        "protection": "",
        "extra": "",
    } | more
    return (
        f"<item><title><![CDATA[{values['title']}]]></title><link>{values['link']}</link>"
        f"<dc:creator><![CDATA[ada]]></dc:creator><content:encoded><![CDATA[{content}]]></content:encoded>"
        f"<excerpt:encoded><![CDATA[{values['excerpt']}]]></excerpt:encoded><wp:post_id>{id_}</wp:post_id>"
        f"<wp:post_date_gmt>{values['post_date_gmt']}</wp:post_date_gmt><wp:post_name>{name}</wp:post_name>"
        f"<wp:status>{values['status']}</wp:status><wp:post_type>{kind}</wp:post_type>"
        f"<wp:post_password>{values['protection']}</wp:post_password>{values['extra']}</item>"
    )


def wordpress_export(items: list[str]) -> str:
    """An export file with these items."""
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>WP site</title><link>https://former.test</link>'
        "<description>Words.</description><language>en-US</language><wp:wxr_version>1.2</wp:wxr_version>"
        "<wp:base_blog_url>https://former.test</wp:base_blog_url><wp:author><wp:author_login>ada</wp:author_login>"
        f"<wp:author_display_name>Ada Example</wp:author_display_name></wp:author>{''.join(items)}</channel></rss>"
    )


def wordpress(root: Path) -> FormerBlog:
    """Blocks and classic texts, shortcodes, uploads, a page, a password, a draft, comments, sized images."""
    items = [
        item(1, "blocks", "post", BLOCKS, excerpt="Its excerpt.", extra=TERM),
        item(2, "classic", "post", CLASSIC, title="Classic <em>&</em>"),
        item(3, "about", "page", "<p>About <em>us</em>.</p>", link="https://former.test/about/"),
        item(4, "secret", "post", "x", protection="p"),
        item(5, "later", "post", "x", status="draft", link="https://former.test/?p=5"),
        item(6, "pic", "attachment", "", extra="<wp:attachment_url>https://former.test/p.png</wp:attachment_url>"),
    ]
    written(root, {"export.xml": wordpress_export(items), "wp-content/uploads/2018/p.png": PNG})
    return FormerBlog(
        root,
        "wordpress",
        [
            FormerPost(
                "Blocks",
                "2018-01-02T03:04:05",
                "Its excerpt.",
                ("Ada Example",),
                ("/2018/blocks/",),
                ("<strong>weight</strong> &amp; a", "[sic]", "<table>", "1|2", "Caption"),
            ),
            FormerPost(
                "Classic &",
                "2018-02-02T03:04:05",
                authors=("Ada Example",),
                paths=("/2018/classic/",),
                words=("if (a &lt; b) {}", "mystery-box", "<br>"),
            ),
        ],
        pages={"/about/": "About <em>us"},
        redirects=WORDPRESS_LISTS,
        links=(f"{OUT}/one?a=1&b=2", "https://vimeo.com/42"),
        images=1,
    )


def ghost(root: Path) -> FormerBlog:
    """HTML cards, placeholders of the address, members' posts, feature images, several authors, tags of the house."""
    html = (
        f'<p>Words <a href="{OUT}/one?a=1&amp;b=2">out</a> and <a href="__GHOST_URL__/two/">in</a>.</p>'
        '<figure class="kg-card"><img src="__GHOST_URL__/content/images/2020/01/p.png" alt="P"></figure>'
        '<blockquote>Said.</blockquote><h2 id="x">Part</h2><hr><pre><code class="language-js">a</code></pre>'
    )
    posts = [
        {"id": "1", "title": "One", "slug": "one", "html": html, "status": "published", "custom_excerpt": "About one."}
        | {"feature_image": "__GHOST_URL__/content/images/2020/01/f.png", "published_at": "2020-01-02T03:04:05.000Z"},
        {"id": "2", "title": "Two", "slug": "two", "html": "<p>Two.</p>", "status": "published"}
        | {"published_at": "2020-02-03T00:00:00.000Z", "updated_at": "2021-01-01T00:00:00.000Z"},
        {"id": "3", "title": "Paid", "slug": "paid", "html": "<p>For money.</p>", "status": "published"}
        | {"visibility": "paid", "published_at": "2020-03-03T00:00:00.000Z"},
        {"id": "4", "title": "About", "slug": "about", "html": "<p>About <em>us</em>.</p>", "type": "page"}
        | {"status": "published", "published_at": "2020-01-01T00:00:00.000Z"},
    ]
    data = {
        "posts": posts,
        "tags": [{"id": "t", "name": "News", "slug": "the-news"}, {"id": "u", "name": "#internal"}],
        "posts_tags": [{"post_id": "1", "tag_id": "t"}, {"post_id": "1", "tag_id": "u"}],
        "users": [{"id": "a", "name": "Ada Example", "website": "https://ada.example/"}, {"id": "b", "name": "Bo"}],
        "posts_authors": [
            {"post_id": "1", "author_id": "b", "sort_order": 1},
            {"post_id": "1", "author_id": "a", "sort_order": 0},
        ],
        "settings": [{"key": "title", "value": "Ghost site"}, {"key": "description", "value": "Words."}],
    }
    files: dict[str, str | bytes] = {
        "ghost.json": json.dumps({"db": [{"meta": {"exported_on": 1}, "data": data}]}),
        "content/images/2020/01/p.png": PNG,
        "content/images/2020/01/f.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "ghost",
        [
            FormerPost("One", "2020-01-02T03:04:05", "About one.", ("Ada Example", "Bo"), ("/one/",), ("Said.",)),
            FormerPost("Two", "2020-02-03", paths=("/two/",)),
        ],
        pages={"/about/": "About <em>us"},
        redirects={"/rss/": "/rss.xml", "/page/1/": "/posts/", "/tag/the-news/": "/tags/news/"},
        links=(f"{OUT}/one?a=1&b=2",),
        images=2,
    )


def feed(root: Path) -> FormerBlog:
    """An Atom feed with HTML and XHTML, relative links and images on the former host."""
    html = escape(
        f'<p>Words <a href="{OUT}/one?a=1&amp;b=2">out</a>, <a href="/2020/two.html">in</a> '
        '<img src="https://former.test/i/p.png" alt="P"></p><p>1. not a list</p>'
    )
    entries = (
        "<entry><id>urn:1</id><title>One</title><link href='https://former.test/2020/one.html'/>"
        "<published>2020-01-02T03:04:05Z</published><updated>2020-05-05T00:00:00Z</updated>"
        "<summary>About one.</summary>"
        f"<author><name>Ada Example</name></author><category term='x'/><content type='html'>{html}</content></entry>"
        "<entry><id>urn:2</id><title>Two</title><link href='https://former.test/2020/two.html'/>"
        "<updated>2020-02-03T00:00:00Z</updated><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
        "<p>Two <em>words</em>.</p></div></content></entry>"
    )
    written(
        root,
        {
            "feed.xml": f"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>A feed</title>"
            f"<subtitle>Words.</subtitle><link href='https://former.test/'/>{entries}</feed>"
        },
    )
    return FormerBlog(
        root / "feed.xml",
        "feed",
        [
            FormerPost(
                "One", "2020-01-02T03:04:05", "About one.", ("Ada Example",), ("/2020/one.html",), ("1. not a list",)
            ),
            FormerPost("Two", "2020-02-03", paths=("/2020/two.html",), words=("<em>words</em>",)),
        ],
        links=(f"{OUT}/one?a=1&b=2",),
    )
