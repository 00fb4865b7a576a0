# Varnish 7 in front of Octavo, with the module xkey (Debian: varnish-modules). docs/caching.md explains it.
#
# Octavo sends the cache tags of each response (`surrogateKeys.headers = ["Surrogate-Key"]`), and `PURGE /` with the
# tags of changed content. Adapt the addresses of Octavo below.
#
# Start varnishd with `-p backend_idle_timeout=20`: Octavo closes idle connections after 30 s.
vcl 4.1;

import directors;
import std;
import xkey;

# Addresses of Octavo: one backend for each node.
backend one {
    .host = "127.0.0.1";
    .port = "1337";
    .probe = { .url = "/_ready"; .interval = 1s; .timeout = 2s; .window = 3; .threshold = 2; .initial = 2; }
}

# Addresses of Octavo that can purge.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_init {
    new octavo = directors.round_robin();
    octavo.add_backend(one);
}

sub vcl_recv {
    set req.backend_hint = octavo.backend();

    if (req.method == "PURGE") {
        if (client.ip !~ purgers || !req.http.Surrogate-Key) {
            return (synth(403, "Not for you"));
        }
        set req.http.X-Purged = xkey.purge(req.http.Surrogate-Key);
        return (synth(200, "Purged " + req.http.X-Purged));
    }
    # Metrics and status are internal: query Octavo directly. Octavo's paths are case-insensitive.
    if (req.url ~ "(?i)^/+(metrics|_status)([/?]|$)") {
        return (synth(404));
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Responses to requests with credentials, and of sign-in endpoints, are not cached.
    if (req.http.Authorization || req.url !~ "^/(api|uploads)/" || req.url ~ "(?i)^/api/(auth|connect|users)(/|$)") {
        return (pass);
    }
    # With replicas, clients that have written send a position, so that they see their own writes.
    if (req.http.Octavo-Position || req.http.Cookie ~ "(^|;\s*)octavo-position=") {
        return (pass);
    }
    # Responses of Octavo depend on no other cookie. If code of the project reads cookies, pass these requests.
    unset req.http.Cookie;
    if (req.restarts == 0) {
        unset req.http.X-Nothing-Kept;
    }
    return (hash);
}

# A response is cached for the duration of stale-if-error. If Octavo is reachable, it is used only for the duration of
# stale-while-revalidate. Then one request fetches it again for all waiting clients.
sub vcl_hit {
    if (req.restarts == 0 && obj.ttl + std.duration(obj.http.X-While-Revalidating, 1y) < 0s
        && std.healthy(req.backend_hint)) {
        set req.grace = 0s;
        return (restart);
    }
}

sub vcl_miss {
    if (req.restarts > 0 && req.grace > 0s) {
        set req.http.X-Nothing-Kept = "true";
    }
}

# Errors do not replace cached responses: the fetch is abandoned, and vcl_synth looks for a cached response.
sub leave_what_is_kept {
    if (!bereq.uncacheable && !bereq.http.X-Nothing-Kept) {
        return (abandon);
    }
}

sub vcl_backend_error {
    call leave_what_is_kept;
}

sub vcl_backend_response {
    if (beresp.status >= 500) {
        call leave_what_is_kept;
    }
    if (beresp.http.Surrogate-Key) {
        # Responses that can be purged. `caching.control` sets how long they are cached: s-maxage (the TTL),
        # stale-while-revalidate (the grace period that Varnish has read) and stale-if-error.
        set beresp.http.xkey = beresp.http.Surrogate-Key;
        set beresp.http.X-While-Revalidating = "" + beresp.grace + "s";
        set beresp.http.X-If-Error = regsub(beresp.http.Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1s");
        if (std.duration(beresp.http.X-If-Error, 0s) > beresp.grace) {
            set beresp.grace = std.duration(beresp.http.X-If-Error, 0s);
        }
        unset beresp.http.X-If-Error;
    } elsif (bereq.url ~ "^/api/" || beresp.http.Cache-Control !~ "max-age=[1-9]") {
        # Errors, and responses without cache tags, are not cached.
        set beresp.uncacheable = true;
        set beresp.ttl = 2m;
        return (deliver);
    }
}

sub vcl_synth {
    # Octavo is unavailable, even if the probe does not report it yet: use a cached response of any age. If there is
    # none, send the request once more, to another node if there is one.
    if (resp.status == 503 && req.restarts < 2) {
        set req.grace = 10y;
        return (restart);
    }
}

sub vcl_deliver {
    unset resp.http.xkey;
    unset resp.http.X-While-Revalidating;
    unset resp.http.Surrogate-Key;
    unset resp.http.X-Varnish;
    unset resp.http.Via;
    # Browsers cache the response for max-age, counted from now.
    unset resp.http.Age;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "hit";
    } else {
        set resp.http.X-Cache = "miss";
    }
}
