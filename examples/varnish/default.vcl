# Varnish 7 in front of Octavo, with the module xkey (Debian: varnish-modules). docs/caching.md explains it.
#
# Octavo names what an answer shows (`surrogateKeys.headers = ["Surrogate-Key"]`) and asks for
# `PURGE /` with such names when something has changed. Put in your addresses where it says so.
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
    # Numbers are for those who ask Octavo itself, from inside. It takes addresses in any case.
    if (req.url ~ "(?i)^/+(metrics|_status)([/?]|$)") {
        return (synth(404));
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Answers to credentials are for who asked alone, and so is all that people sign in with.
    if (req.http.Authorization || req.url !~ "^/(api|uploads)/" || req.url ~ "(?i)^/api/(auth|connect|users)(/|$)") {
        return (pass);
    }
    # Who has written tells how far they have to see, where there are replicas: they see their own write at once.
    if (req.http.Octavo-Position || req.http.Cookie ~ "(^|;\s*)octavo-position=") {
        return (pass);
    }
    # What Octavo answers to visitors depends on no other cookie. Pass what has any if code of the project reads them.
    unset req.http.Cookie;
    if (req.restarts == 0) {
        unset req.http.X-Nothing-Kept;
    }
    return (hash);
}

# An answer is kept for as long as stale-if-error says. While Octavo can be reached it is shown only as long as
# stale-while-revalidate says; then it is asked for anew, by one request for all who wait.
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

# An error takes the place of nothing that is kept: it is given up, and vcl_synth looks for what there is.
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
        # All that can be purged. How long it is kept is said by `caching.control`: s-maxage, which is its ttl,
        # stale-while-revalidate, which Varnish has read as its grace, and stale-if-error.
        set beresp.http.xkey = beresp.http.Surrogate-Key;
        set beresp.http.X-While-Revalidating = "" + beresp.grace + "s";
        set beresp.http.X-If-Error = regsub(beresp.http.Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1s");
        if (std.duration(beresp.http.X-If-Error, 0s) > beresp.grace) {
            set beresp.grace = std.duration(beresp.http.X-If-Error, 0s);
        }
        unset beresp.http.X-If-Error;
    } elsif (bereq.url ~ "^/api/" || beresp.http.Cache-Control !~ "max-age=[1-9]") {
        # Errors, and whatever does not say what it shows: asked for each time.
        set beresp.uncacheable = true;
        set beresp.ttl = 2m;
        return (deliver);
    }
}

sub vcl_synth {
    # Octavo cannot answer, though its probe may not know yet: what is kept is shown, however old. If there is nothing,
    # it is asked once more, another node if there is one.
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
    # The answer is Varnish's to keep; browsers do as max-age says, counted from now.
    unset resp.http.Age;
    if (obj.hits > 0) {
        set resp.http.X-Cache = "hit";
    } else {
        set resp.http.X-Cache = "miss";
    }
}
