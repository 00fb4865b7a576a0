# Varnish 6 or 7 in front of Octavo, with the module xkey (Debian: varnish-modules). docs/caching.md explains it.
#
# Octavo names what an answer shows (`surrogateKeys.headers = ["Surrogate-Key"]`) and asks for
# `PURGE /` with such names when something has changed. Put in your addresses where it says so.
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

# Who may purge: the addresses that Octavo asks from.
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
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Answers to credentials are for who asked alone, and so is all that people sign in with.
    if (req.http.Authorization || req.url !~ "^/(api|uploads)/" || req.url ~ "^/api/(auth|connect|users)(/|$)") {
        return (pass);
    }
    # Who has written tells how far they have to see, where there are replicas: they see their own write at once.
    if (req.http.Octavo-Position || req.http.Cookie ~ "(^|;\s*)octavo-position=") {
        return (pass);
    }
    # What Octavo answers to visitors depends on no other cookie. Pass what has any if code of the project reads them.
    unset req.http.Cookie;
    return (hash);
}

sub vcl_backend_response {
    if (beresp.http.Surrogate-Key) {
        # All that can be purged. How long it is kept is said by `caching.control`: s-maxage, stale-while-revalidate.
        set beresp.http.xkey = beresp.http.Surrogate-Key;
    } elsif (bereq.url ~ "^/api/" || beresp.http.Cache-Control !~ "max-age=[1-9]") {
        # Errors, and whatever does not say what it shows: asked for each time.
        set beresp.uncacheable = true;
        set beresp.ttl = 2m;
        return (deliver);
    }
}

sub vcl_deliver {
    unset resp.http.xkey;
    unset resp.http.Surrogate-Key;
    unset resp.http.X-Varnish;
    unset resp.http.Via;
    # The answer is Varnish's to keep; browsers do as max-age says, counted from now.
    unset resp.http.Age;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "hit";
    } else {
        set resp.http.X-Cache = "miss";
    }
}
