# {{ base_url }} in Varnish 6 or newer: /etc/varnish/default.vcl
# citepress listens on {{ upstream }} and trusts this proxy: CITEPRESS_TRUSTED_PROXIES=127.0.0.1
# Start varnishd with -p http_gzip_support=off: citepress compresses, in more codings than Varnish knows.
# It needs the module xkey, which Debian has in the package varnish-modules.
vcl 4.1;

import xkey;

backend citepress {
    .host = "{{ upstream_host }}";
    .port = "{{ upstream_port }}";
}

acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    # Written anew, not appended to: what a client puts there must not count.
    set req.http.X-Forwarded-For = client.ip;
    if (req.method == "PURGE") {
        if (client.ip !~ purgers) {
            return (synth(403, "Not allowed"));
        }
        # The field that citepress publish sends; any other purge would silently do nothing.
        if (req.http.xkey-purge) {
            set req.http.X-Purged = xkey.purge(req.http.xkey-purge);
            return (synth(200, "Purged " + req.http.X-Purged));
        }
        return (synth(400, "Name keys in xkey-purge"));
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    unset req.http.Cookie;
    return (hash);
}

sub vcl_backend_response {
    set beresp.http.xkey = beresp.http.Surrogate-Key;
    if (beresp.http.Cache-Control ~ "(?i)private|no-store|no-cache") {
        set beresp.uncacheable = true;
        set beresp.ttl = 1m;
        return (deliver);
    }
    set beresp.grace = 1h;
    set beresp.keep = 1d;
}

sub vcl_deliver {
    unset resp.http.xkey;
    unset resp.http.Surrogate-Key;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
