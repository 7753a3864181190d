package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.testkit.Proportion;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathFormTest {

    private static final PathForm RESOLVING = PathForm.STRICT.resolving();
    private static final Pattern NORMAL = Pattern.compile("(/(?!\\.{1,2}(/|$))[^/;?#\\\\ ]+)+");
    private static final List<PathForm> FORMS = List.of(
            PathForm.STRICT,
            RESOLVING,
            PathForm.STRICT.ignoringCase(),
            PathForm.STRICT.keepingEncodedSlash(),
            RESOLVING.ignoringCase().keepingEncodedSlash());

    /** The planes before have all the letters that have two cases. */
    private static final int OTHER_PLANES = 0x20000;

    @ParameterizedTest
    @MethodSource("table")
    void strictly(Row row) {
        check(row.path, PathForm.STRICT, row.strict);
    }

    @ParameterizedTest
    @MethodSource("table")
    void resolving(Row row) {
        check(row.path, RESOLVING, row.resolving);
    }

    @Test
    void theTableIsLong() {
        assertThat(table()).hasSizeGreaterThan(300);
    }

    @ParameterizedTest
    @CsvSource({
        "/API/Login, /api/login",
        "/%41%C3%89, /aé",
        "/a%3fB, /a%3Fb",
        "/\u212a, /k",
        "/u\u017fers, /users",
        "/%D0%90, /а",
        "/A%25B, /a%25b",
    })
    void ignoringCaseComparesInSmallLetters(String path, String expected) {
        check(path, PathForm.STRICT.ignoringCase(), expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/a%2fb, /a%2Fb",
        "/@scope%2Fname, /@scope%2Fname",
        "/a%2F%2Fb, /a%2F%2Fb",
        "/a/%2F, /a/%2F",
        "/a%2F..b, /a%2F..b",
        "/..%2Fa, ! no . or .. beside",
        "/a%2F..%2Fb, ! no . or .. beside",
        "/a%2F%2e, ! no . or .. beside",
        "/a%2F.., ! no . or .. beside",
        "/a%5Cb, ! no backslash",
        "/a%252Fb, ! percent-encoding only once",
        "/a;x=%2Fb, ! no encoded slash or percent sign in a path parameter",
    })
    void anEncodedSlashMayBePartOfAName(String path, String expected) {
        check(path, PathForm.STRICT.keepingEncodedSlash(), expected);
        check(path, RESOLVING.keepingEncodedSlash(), expected);
    }

    /** A43: everything that a server may read in an accepted path. {@code _} stands for an empty last segment. */
    @ParameterizedTest
    @CsvSource({
        "/, '/_'",
        "/a/b, ''",
        "/a%20b/é, ''",
        "/caf%C3%A9, ''",
        "/a?x, ''",
        "http://h/a, ''",
        "/users/, '/users/_'",
        "/%61/b, '/%61/b'",
        "/a;x/b, '/a;x/b /a'",
        "/a;/b, '/a;/b /a'",
        "/a;x/, '/a/_ /a;x /a;x/_'",
        "/a/b;x=1;y, '/a/b;x=1;y'",
        "/a;x/b;y, '/a;x/b;y /a'",
        "/a;x/%62, '/a/%62 /a;x/b /a;x/%62 /a'",
        "/a;x=%62, '/a;x=b /a;x=%62'",
    })
    void aPathHasEveryReadingOfAnyServer(String path, String expected) {
        readings(path, PathForm.STRICT, expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/../b, '/a/../b'",
        "/a/%2e%2e/b, '/a/../b /a/%2e%2e/b'",
        "/a/./b, '/a/./b'",
        "/a/.., '/_ /a/.. /a/../_'",
        "/a;x/../b, '/a/../b /a;x/../b /a'",
    })
    void aResolvedPathIsAlsoReadUnresolved(String path, String expected) {
        readings(path, RESOLVING, expected);
    }

    /** Servers that ignore the case of ASCII may or may not ignore that of other characters. */
    @ParameterizedTest
    @CsvSource({
        "/API, ''",
        "/caf%C3%A9, ''",
        "/CAF%C3%89, /cafÉ",
        "/users/%E2%84%AA, /users/\u212a",
        "/u%C5%BFers, /u\u017fers",
        "/%C4%B0, /\u0130",
        "/%C4%B1, /\u0131",
        "/%CF%82, /\u03c2",
    })
    void ignoringCaseReadsOtherCharactersAlsoAsSent(String path, String expected) {
        readings(path, PathForm.STRICT.ignoringCase(), expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/app/;jsessionid=1A, /app, '/app/_'",
        "/;jsessionid=1A, /, '/_'",
        "/app/x;jsessionid=1A, /app/x, ''",
        "/app;x/y, /app/y, ''",
        "/app/;x/y, ! no segment that has parameters only, ''",
        "/app/;/, ! no segment that has parameters only, ''",
        "/app//;x, ! no empty segment, ''",
        "/app/..;x, ! no . or .. segments with, ''",
    })
    void aServletContainerDropsParametersEverywhere(String path, String normal, String expected) {
        PathForm form = PathForm.STRICT.ofServlets();
        check(path, form, normal);
        if (!normal.startsWith("!")) {
            readings(path, form, expected);
        }
    }

    private static void readings(String path, PathForm form, String expected) {
        List<String> found = form.otherReadings(path).stream()
                .map(reading -> reading.replace(Attributes.EMPTY_SEGMENT, "_"))
                .toList();
        assertThat(found).containsExactlyInAnyOrder(expected.isEmpty() ? new String[0] : expected.split(" "));
    }

    @Test
    void ofATargetOnlyAsciiIsTaken() {
        assertThat(PathForm.STRICT.normalOfTarget("/caf%C3%A9?é".replace("é", "x")))
                .isEqualTo("/café");
        assertThatThrownBy(() -> PathForm.STRICT.normalOfTarget("/caf\u00c3\u00a9"))
                .isInstanceOf(PathRefusedException.class);
    }

    @Test
    void aNormalPathIsItsOwnNormalForm() {
        SeededRandom random = SeededRandom.of("aNormalPathIsItsOwnNormalForm");
        int normal = 0;
        int paths = SeededRandom.scaled(50_000, 200_000);
        for (int i = 0; i < paths; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int parts = random.nextInt(8); parts >= 0; parts--) {
                path.append(random.oneOf(
                        "/", "a", "B", ".", "..", "%2e", "%2E", ";", ";x=1", "%25", "2F", "%", "%20", " ", "%C3%A9",
                        "é", "%61", "%36%31", "K", "\u0130", "😀", "\ud83d", "?", "%3f", "%23", "%2F", "25", "c",
                        "\u00c9"));
            }
            PathForm form = random.oneOf(FORMS.toArray(PathForm[]::new));
            String once = normalOrNull(path.toString(), form);
            if (once != null) {
                normal++;
                if (!form.normal(once).equals(once)
                        || (!once.equals("/") && !NORMAL.matcher(once).matches())) {
                    fail("%s is %s in %s", path, once, form);
                }
            }
        }
        assertThat(normal).isGreaterThan(paths / 10);
    }

    @Test
    void anyTextIsNormalisedOrRefusedAndNothingElse() {
        SeededRandom random = SeededRandom.of("anyTextIsNormalisedOrRefusedAndNothingElse");
        for (int i = SeededRandom.scaled(50_000, 200_000); i > 0; i--) {
            StringBuilder path = new StringBuilder(random.nextBoolean() ? "/" : "");
            for (int length = random.nextInt(12); length > 0; length--) {
                path.append((char) random.nextInt(random.oneOf(0x80, 0x100, 0x10000)));
            }
            PathForm form = random.oneOf(FORMS.toArray(PathForm[]::new));
            String once = normalOrNull(path.toString(), form);
            if (once != null) {
                assertThat(form.normal(once)).isEqualTo(once);
            }
        }
    }

    /** The short form tries all characters of the planes with letters of two cases, and some of the others. The long form tries all. */
    @Test
    void everyCharacterAloneIsNormalisedOrRefusedTheSameEncodedAndNot() {
        int step = SeededRandom.scaled(1, 61) > 1 ? 1 : 61;
        for (PathForm form : FORMS) {
            for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < OTHER_PLANES ? 1 : step) {
                if ((point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
                        || "%/;?#".indexOf(point) >= 0) {
                    continue;
                }
                String raw = Character.toString(point);
                String plain = normalOrNull("/x" + raw, form);
                if (!Objects.equals(normalOrNull("/x" + encoded(raw), form), plain)
                        || (plain != null && !form.normal(plain).equals(plain))) {
                    fail("U+%04X", point);
                }
            }
        }
    }

    @Test
    void whatIsNormalAlreadyIsNotCopied() {
        for (String path : List.of("/", "/api/login", "/a%20b/é/😀", "/100%25", new String("/api/orders/17"))) {
            assertThat(PathForm.STRICT.normal(path)).isSameAs(path);
        }
    }

    @Test
    void theMessageSaysWhatIsWrongInOneSafeLine() {
        assertThatThrownBy(() -> PathForm.STRICT.normal("/a\r\n\u001b[31m" + "x".repeat(50_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "path: /a\\\\u000d\\\\u000a\\\\u001b\\[31mx+… \\(expected: no control characters\\)")
                .satisfies(e -> assertThat(e.getMessage().length()).isLessThan(150))
                .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a", "/a", "/a/..", "/./", "//", "/%61", "/%C3%A9", "/a;x", "%25", "%25 ", ";", "/a%2F", "a%2F", "?",
                "#", "é"
            })
    void a18ALongPathTakesTimeInProportionToItsLength(String part) {
        for (PathForm form : FORMS) {
            Proportion.require(
                    part + " in " + form,
                    50_000,
                    length -> (part.startsWith("/") ? "" : "/") + part.repeat(length / part.length()),
                    path -> normalOrNull(path, form));
        }
    }

    /** A20: nothing in a path is ever evaluated. */
    @ParameterizedTest
    @CsvSource({"/${jndi:ldap:x}", "/%23{T(java.lang.Runtime)}", "/{{7*7}}", "/$(id)", "/<%=1%>"})
    void a20ExpressionsAreText(String path) {
        String expected = path.contains("<%") ? "! two hexadecimal digits" : path;
        check(path, PathForm.STRICT, expected);
    }

    @Test
    void attributesRefuseAPathWithoutANormalForm() {
        assertThatThrownBy(() -> Attributes.of(Map.of("path", "/a/../b")))
                .isInstanceOf(PathRefusedException.class)
                .hasMessage("path: /a/../b (expected: no .. segments)");
        assertThat(Attributes.of(Map.of("path", "/a/../b/"), RESOLVING).get("path"))
                .isEqualTo("/b");
        assertThat(Attributes.of(Map.of("path", "/%61pi/login/")).get("path")).isEqualTo("/api/login");
    }

    private static void check(String path, PathForm form, String expected) {
        if (expected.startsWith("! ")) {
            assertThatThrownBy(() -> form.normal(path))
                    .isInstanceOfSatisfying(PathRefusedException.class, refused -> assertThat(refused.expected())
                            .contains(expected.substring(2)));
        } else {
            assertThat(form.normal(path)).isEqualTo(expected);
        }
    }

    private static @Nullable String normalOrNull(String path, PathForm form) {
        try {
            return form.normal(path);
        } catch (PathRefusedException e) {
            return null;
        }
    }

    private static String encoded(String text) {
        StringBuilder escapes = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            escapes.append('%').append(HexFormat.of().toHexDigits(b));
        }
        return escapes.toString();
    }

    static Stream<Row> table() {
        try (InputStream table = PathFormTest.class.getResourceAsStream("/paths.tsv")) {
            return new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("# "))
                    .map(Row::of);
        } catch (IOException e) {
            return fail(e);
        }
    }

    record Row(String path, String strict, String resolving) {

        private static final Pattern POINT = Pattern.compile("<U\\+([0-9A-F]+)>");

        static Row of(String line) {
            String[] cells = line.split("\t", -1);
            return new Row(text(cells[0]), text(cells[1]), text(cells[cells.length - 1]));
        }

        private static String text(String cell) {
            return POINT.matcher(cell.equals("<empty>") ? "" : cell)
                    .replaceAll(m -> java.util.regex.Matcher.quoteReplacement(
                            Character.toString(Integer.parseInt(m.group(1), 16))));
        }
    }
}
