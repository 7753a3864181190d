package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the pages and their files are served. */
class PageTest {

    private static final List<String> PAGES = List.of(
            "/set-up",
            "/sign-in",
            "/step-up",
            "/account",
            "/retention",
            "/traffic",
            "/callers/0a1b",
            "/rules",
            "/rules/login",
            "/editor",
            "/changes/1",
            "/releases/1",
            "/nodes",
            "/alerts",
            "/audit",
            "/people",
            "/tokens");

    @TempDir
    static Path data;

    private static Center center;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
    }

    @AfterAll
    static void close() {
        center.close();
    }

    @Test
    void theRootLeadsToTheRightPage() {
        assertThat(get("/").statusCode()).isEqualTo(302);
        assertThat(header(get("/"), "Location")).isEqualTo("/sign-in");
        assertThat(header(get("/?rule=login&last=6h&caller=a%2Bb"), "Location"))
                .isEqualTo("/sign-in?to=%2F%3Frule%3Dlogin%26last%3D6h%26caller%3Da%252Bb");
        PageClient ann = new PageClient(center).signIn(center, ApiClient.account(center, "ann", Grant.of(Role.VIEWER)));
        HttpResponse<String> console = ann.send("GET", "/", "");
        assertThat(console.statusCode()).isEqualTo(200);
        assertThat(console.body()).isEqualTo(get("/rules").body());
    }

    @Test
    void everyPageForbidsForeignAndInlineScripts() {
        for (String page : PAGES) {
            HttpResponse<String> answer = get(page);
            assertThat(answer.statusCode()).as(page).isEqualTo(200);
            assertThat(header(answer, "Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(header(answer, "Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(header(answer, "X-Frame-Options")).isEqualTo("DENY");
            assertThat(answer.body()).doesNotContainPattern("<script(?![^>]* src=)|<style| style=| on[a-z]+=");
        }
    }

    @Test
    void everyFileThatAFileNeedsIsServedWithItsType() {
        Set<String> seen = new TreeSet<>();
        Set<String> open = new TreeSet<>(files(get("/sign-in").body()));
        while (!open.isEmpty()) {
            String file = open.iterator().next();
            open.remove(file);
            seen.add(file);
            HttpResponse<String> answer = get(file);
            assertThat(answer.statusCode()).as(file).isEqualTo(200);
            assertThat(header(answer, "Content-Type"))
                    .as(file)
                    .startsWith(
                            file.endsWith(".js")
                                    ? "text/javascript"
                                    : file.endsWith(".css") ? "text/css" : "image/svg+xml");
            assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.body()).as(file).doesNotContain("sourceMappingURL");
            files(answer.body()).stream().filter(next -> !seen.contains(next)).forEach(open::add);
        }
        assertThat(seen)
                .contains(
                        "/assets/vue.js",
                        "/assets/htm.js",
                        "/assets/style.css",
                        "/assets/console/shell.js",
                        "/assets/views/account.js",
                        "/assets/vendor/uplot.js");
        assertThat(seen).hasSizeGreaterThan(50);
    }

    @Test
    void aFileThatTheBrowserHasIsNotSentAgain() {
        HttpResponse<String> first = get("/assets/vue.js");
        assertThat(header(first, "Cache-Control")).isEqualTo("no-cache");
        String tag = header(first, "ETag");
        HttpResponse<String> second = new PageClient(center).send("GET", "/assets/vue.js", "", "If-None-Match", tag);
        assertThat(second.statusCode()).isEqualTo(304);
        assertThat(second.body()).isEmpty();
    }

    @Test
    void noOtherFileIsServed() {
        for (String path : List.of(
                "/assets/page.html",
                "/assets/nothing.js",
                "/assets/",
                "/assets/..%2fopenapi.json",
                "/assets/%2e%2e/web/openapi.json",
                "/assets/x/main.js",
                "/assets/console/",
                "/assets/console/..%2fpage.html",
                "/assets/console/main.js")) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path).isIn(400, 401, 404);
            assertThat(answer.body()).as(path).doesNotContain("import", "<", "openapi");
        }
    }

    private static Set<String> files(String text) {
        return Pattern.compile("/assets/(?:[a-z]+/)?[a-z-]+\\.(?:js|css|svg)")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(java.util.stream.Collectors.toSet());
    }

    private static HttpResponse<String> get(String path) {
        return new PageClient(center).send("GET", path, "");
    }

    private static String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }
}
