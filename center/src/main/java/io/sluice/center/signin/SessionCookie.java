package io.sluice.center.signin;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;

/** Cookies that only the server reads. With HTTPS, their names have the prefix that prevents other hosts from setting them. */
public final class SessionCookie {

    private static final String SESSION = "sluice_session";
    private static final String HOST_PREFIX = "__Host-";

    private final Supplier<PublicAddress> address;

    public SessionCookie(Supplier<PublicAddress> address) {
        this.address = address;
    }

    /** Returns the id of the session that a request presents. */
    public Optional<String> read(HttpServletRequest request) {
        return read(request, SESSION);
    }

    /** Returns the value of a cookie. */
    public Optional<String> read(HttpServletRequest request, String name) {
        Cookie[] cookies = request.getCookies();
        if (cookies == null) {
            return Optional.empty();
        }
        String full = full(name);
        for (Cookie cookie : cookies) {
            if (cookie.getName().equals(full)) {
                return Optional.of(cookie.getValue());
            }
        }
        return Optional.empty();
    }

    /** Sets the cookie of a session. It expires with the browser at the latest. */
    public void write(HttpServletResponse response, String id) {
        add(response, SESSION, id, Duration.ofSeconds(-1));
    }

    /** Sets a cookie that expires after some time. */
    public void write(HttpServletResponse response, String name, String value, Duration life) {
        add(response, name, value, life);
    }

    public void clear(HttpServletResponse response) {
        add(response, SESSION, "", Duration.ZERO);
    }

    public void clear(HttpServletResponse response, String name) {
        add(response, name, "", Duration.ZERO);
    }

    /** Adds a cookie. It is {@code Lax}, because the answer of an identity server and a link in a message come from another site. */
    private void add(HttpServletResponse response, String name, String value, Duration life) {
        response.addHeader(
                HttpHeaders.SET_COOKIE,
                ResponseCookie.from(full(name), value)
                        .httpOnly(true)
                        .secure(address.get().isHttps())
                        .path("/")
                        .sameSite("Lax")
                        .maxAge(life)
                        .build()
                        .toString());
    }

    private String full(String name) {
        return address.get().isHttps() ? HOST_PREFIX + name : name;
    }
}
