package io.sluice.center;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A browser of somebody who signs in at an authorization server: it keeps cookies, follows redirects and fills in the form. */
final class OidcBrowser {

    private static final Pattern FORM = Pattern.compile("<form[^>]*\\saction=\"([^\"]+)\"");
    private static final int MOST_STEPS = 10;

    private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .cookieHandler(cookies)
            .build();
    private final URI center;
    private final String address;

    OidcBrowser(Center center) {
        this(center, "127.0.0.1");
    }

    /**
     * Creates a browser.
     *
     * @param address where it seems to be, for a center that trusts proxies on this machine
     */
    OidcBrowser(Center center, String address) {
        this.center = center.publicUrl();
        this.address = address;
    }

    /** Returns where somebody ends up who signs in. It is a page of the center, which is not loaded. */
    String signIn(String server, String person) {
        return end(answer(server, person));
    }

    /** Returns the address of the center that the server sends the browser to. It is not loaded. */
    String answer(String server, String person) {
        URI at = URI.create(at(get(center + "/sign-in/oidc/" + server)).orElseThrow());
        for (int i = 0; i < MOST_STEPS; i++) {
            if (at.toString().startsWith(center.toString())) {
                return at.toString();
            }
            HttpResponse<String> response = get(at.toString());
            if (at(response).isEmpty()) {
                response = submit(at, response.body(), person);
            }
            at = at.resolve(at(response).orElseThrow());
        }
        throw new AssertionError("the sign-in does not end");
    }

    private HttpResponse<String> submit(URI page, String html, String person) {
        return submitForm(
                page,
                html,
                "username=" + encoded(person) + "&password=" + encoded(OidcTestServer.PASSWORD) + "&_csrf="
                        + encoded(field(html, "_csrf")));
    }

    /** Sends fields to the address that the form of a page has. */
    HttpResponse<String> submitForm(URI page, String html, String fields) {
        Matcher form = FORM.matcher(html);
        if (!form.find()) {
            throw new AssertionError("no form at " + page + ": " + html);
        }
        return send(HttpRequest.newBuilder(page.resolve(form.group(1).replace("&amp;", "&")))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(fields)));
    }

    /** Loads an address of the center and returns where it leads, without the address of the center. */
    String end(String address) {
        String to = at(get(address)).orElseThrow();
        if (!to.startsWith(center.toString())) {
            throw new AssertionError("left the center: " + to);
        }
        return to.substring(center.toString().length());
    }

    /** Loads a page of the center and returns its status. */
    int status(String path) {
        return get(center + path).statusCode();
    }

    HttpResponse<String> get(String address) {
        return send(HttpRequest.newBuilder(URI.create(address)).GET());
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = http.send(
                    request.header("Accept", "text/html,*/*;q=0.8")
                            .header("X-Forwarded-For", address)
                            .timeout(Duration.ofMinutes(2))
                            .build(),
                    BodyHandlers.ofString());
            // As in a browser, the connection to this machine counts as secure.
            cookies.getCookieStore().getCookies().forEach(cookie -> cookie.setSecure(false));
            return response;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the id of the session at the center. */
    Optional<String> session() {
        return cookie("sluice_session");
    }

    Optional<String> cookie(String name) {
        return cookies.getCookieStore().getCookies().stream()
                .filter(cookie -> cookie.getName().equals(name))
                .map(HttpCookie::getValue)
                .findFirst();
    }

    /** Returns a parameter of an address. */
    static String parameter(String address, String name) {
        Matcher found = Pattern.compile("[?&]" + name + "=([^&#]*)").matcher(address);
        if (!found.find()) {
            throw new AssertionError(name + " is not in " + address);
        }
        return URLDecoder.decode(found.group(1), StandardCharsets.UTF_8);
    }

    static Optional<String> at(HttpResponse<String> response) {
        return response.headers().firstValue("Location");
    }

    /** Returns the value of a hidden field of a page; empty if there is none. */
    static String field(String html, String name) {
        Matcher found =
                Pattern.compile("name=\"" + name + "\"[^>]*value=\"([^\"]+)\"").matcher(html);
        return found.find() ? found.group(1) : "";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
