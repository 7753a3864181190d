package io.sluice.center.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CurlCommandTest {

    @Test
    void readsAPlainRequest() {
        CurlCommand curl = CurlCommand.parse("curl https://shop.example/api/login");
        assertThat(curl.method()).isEqualTo("GET");
        assertThat(curl.address()).isEqualTo("https://shop.example/api/login");
        assertThat(curl.body()).isEmpty();
        assertThat(curl.warnings()).isEmpty();
    }

    @Test
    void readsWhatABrowserCopies() {
        CurlCommand curl = CurlCommand.parse("""
                curl 'https://shop.example/api/login?x=1' \\
                  -X 'POST' \\
                  -H 'accept: application/json' \\
                  -H $'x-name: it\\'s \\u00e9 \\x41\\101' \\
                  -b 'session=1; other=2' \\
                  --data-raw '{"user":"ann","n":1}' \\
                  --compressed --insecure ;
                """);
        assertThat(curl.method()).isEqualTo("POST");
        assertThat(curl.address()).isEqualTo("https://shop.example/api/login?x=1");
        assertThat(curl.headers().get("x-name")).containsExactly("it's é AA");
        assertThat(curl.headers().get("cookie")).containsExactly("session=1; other=2");
        assertThat(curl.headers().get("accept")).containsExactly("application/json");
        assertThat(curl.body()).isEqualTo("{\"user\":\"ann\",\"n\":1}");
    }

    @Test
    void optionsMayBeJoinedWithEachOtherAndWithTheirValues() {
        CurlCommand curl =
                CurlCommand.parse("$ /usr/bin/curl -sSLkXPUT -H'X-A: 1' -HX-A:2 -uann:pw -dq=1 -d 'r=2' shop.example");
        assertThat(curl.method()).isEqualTo("PUT");
        assertThat(curl.headers().get("x-a")).containsExactly("1", "2");
        assertThat(curl.headers().get("authorization")).containsExactly("Basic YW5uOnB3");
        assertThat(curl.headers().get("content-type")).containsExactly("application/x-www-form-urlencoded");
        assertThat(curl.body()).isEqualTo("q=1&r=2");
        assertThat(curl.warnings()).isEmpty();
    }

    @Test
    void dataMeansPostUnlessItGoesIntoTheQuery() {
        assertThat(CurlCommand.parse("curl -d a=b http://x/").method()).isEqualTo("POST");
        CurlCommand get = CurlCommand.parse("curl -G -d a=b --data-urlencode 'c=d e&f' 'http://x/?z=1#part'");
        assertThat(get.method()).isEqualTo("GET");
        assertThat(get.address()).isEqualTo("http://x/?z=1&a=b&c=d+e%26f");
        assertThat(get.body()).isEmpty();
        CurlCommand json = CurlCommand.parse("curl --json '{\"a\":' --json '1}' http://x/");
        assertThat(json.method()).isEqualTo("POST");
        assertThat(json.body()).isEqualTo("{\"a\":1}");
        assertThat(json.headers().get("content-type")).containsExactly("application/json");
        assertThat(CurlCommand.parse("curl -I http://x/").method()).isEqualTo("HEAD");
        assertThat(CurlCommand.parse("curl -T file http://x/").method()).isEqualTo("PUT");
    }

    @Test
    void headersCanBeRemovedAndBeEmpty() {
        CurlCommand curl =
                CurlCommand.parse("curl -H 'Accept:' -H 'X-Empty;' -H 'Content-Type: text/plain' -d a http://x/");
        assertThat(curl.headers()).doesNotContainKey("accept");
        assertThat(curl.headers().get("x-empty")).containsExactly("");
        assertThat(curl.headers().get("content-type")).containsExactly("text/plain");
    }

    @Test
    void onlyHeadersThatCurlMakesCanBeRemoved() {
        CurlCommand curl = CurlCommand.parse(
                "curl -H 'X-A: 1' -H 'X-A:' -u ann:pw -H 'Authorization:' -b a=1 -H 'Cookie: b=2' http://x/");
        assertThat(curl.headers().get("x-a")).containsExactly("1");
        assertThat(curl.headers()).doesNotContainKey("authorization");
        assertThat(curl.headers().get("cookie")).containsExactly("b=2");
        assertThat(CurlCommand.parse("curl -b a=1 -b b=2 http://x/").headers().get("cookie"))
                .containsExactly("a=1; b=2");
    }

    @Test
    void curlNamesItselfUnlessItIsTold() {
        assertThat(CurlCommand.parse("curl http://x/").headers().get("user-agent"))
                .singleElement()
                .asString()
                .startsWith("curl/");
        assertThat(CurlCommand.parse("curl -A mine http://x/").headers().get("user-agent"))
                .containsExactly("mine");
        assertThat(CurlCommand.parse("curl -A '' http://x/").headers()).doesNotContainKey("user-agent");
        assertThat(CurlCommand.parse("curl -H 'User-Agent:' http://x/").headers())
                .doesNotContainKey("user-agent");
        assertThat(CurlCommand.parse("curl -A mine -H 'User-Agent: other' http://x/")
                        .headers()
                        .get("user-agent"))
                .containsExactly("other");
    }

    @Test
    void theHeadersCannotBeChanged() {
        List<String> values = new ArrayList<>(List.of("1"));
        CurlCommand curl = new CurlCommand("GET", "http://x/", Map.of("x-a", values), "", List.of());
        values.add("2");
        assertThat(curl.headers().get("x-a")).containsExactly("1").isUnmodifiable();
    }

    @Test
    void blankLinesAfterACommandAreNoFurtherCommand() {
        assertThat(ShellWords.of("curl http://x/\n \n\t\n").rest()).isFalse();
        assertThat(ShellWords.of("\n\ncurl http://x/\n \n").list()).containsExactly("curl", "http://x/");
        assertThat(ShellWords.of("curl http://x/\n \nls").rest()).isTrue();
        assertThat(ShellWords.of("curl" + "\n".repeat(60_000)).rest()).isFalse();
    }

    @Test
    void whatIsNotUnderstoodIsSaidWithoutItsValue() {
        CurlCommand curl = CurlCommand.parse("curl --frobnicate -d @secret-file -F f=@secret-file -H @secret-file"
                + " http://x/ --user \"$SECRET\" --next -d secret | jq .secret");
        assertThatThrownBy(() -> CurlCommand.parse("curl --frobnicate -d @secret-file --next http://x/"))
                .hasMessageContaining("no address");
        assertThat(String.join("\n", curl.warnings()))
                .contains("--frobnicate: unknown option", "files are not read", "multipart", "only the first", "--next")
                .doesNotContain("secret");
        assertThat(curl.toString()).doesNotContain("http");
    }

    @Test
    void valuesOfOptionsThatDoNotMatterAreNotTakenForAnAddress() {
        CurlCommand curl = CurlCommand.parse(
                "curl -o out.txt -w '%{http_code}' --max-time 5 --resolve a:1:b -x proxy:1 --cacert ca.pem x.example/a");
        assertThat(curl.address()).isEqualTo("x.example/a");
        assertThat(curl.warnings()).isEmpty();
        assertThat(CurlCommand.parse("curl --strange value https://x/a").address())
                .isEqualTo("https://x/a");
        assertThat(CurlCommand.parse("curl --request=DELETE --url=http://x/ --").method())
                .isEqualTo("DELETE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\n",
                "wget http://x/",
                "curl",
                "curl -X",
                "curl -H",
                "curl 'http://x/",
                "curl \"http://x/",
                "curl $'http://x/",
                "curl http://x/ -d",
                "curl ^\"http://x/^\"",
                "; curl http://x/",
                "# curl http://x/"
            })
    void whatIsNoCommandIsRefusedWithWhatIsExpected(String text) {
        assertThatThrownBy(() -> CurlCommand.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("curl: ")
                .hasMessageContaining("(expected: ");
    }

    @Test
    void aLongCommandIsRefused() {
        assertThatThrownBy(() -> CurlCommand.parse("curl http://x/" + "a".repeat(CurlCommand.MOST_CHARACTERS)))
                .hasMessageContaining("characters (expected: at most 65536)");
        assertThatThrownBy(() -> CurlCommand.parse("curl http://x/ " + "a ".repeat(3_000)))
                .hasMessageContaining("words");
        assertThatThrownBy(() -> CurlCommand.parse("curl http://x/ " + "-Ha:b ".repeat(300)))
                .hasMessageContaining("headers");
    }

    @Test
    void noTextBreaksTheReader() {
        List<String> pieces = List.of(
                "curl",
                " ",
                "-",
                "--",
                "-H",
                "-d",
                "-X",
                "'",
                "\"",
                "$'",
                "\\",
                "\\x",
                "\\u12",
                "\\U0011ffff",
                "\\777",
                "\n",
                "\r\n",
                "$",
                "$(",
                "`",
                "|",
                "#",
                "@",
                "=",
                ":",
                ";",
                "http://",
                "x",
                "é",
                "\ud83d",
                "\u0000",
                "--data-urlencode",
                "--json",
                "-G",
                "--next");
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder("curl ");
            for (int k = random.nextInt(12); k >= 0; k--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            try {
                assertThat(CurlCommand.parse(text.toString()).method()).isNotNull();
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("curl: ");
            }
        }
    }
}
