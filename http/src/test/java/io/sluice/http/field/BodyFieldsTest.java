package io.sluice.http.field;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.http.field.BodyFields.Ambiguous;
import io.sluice.http.field.BodyFields.Body;
import io.sluice.http.field.BodyFields.Found;
import io.sluice.http.field.BodyFields.Unread;
import io.sluice.testkit.Proportion;
import io.sluice.testkit.SeededRandom;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyFieldsTest {

    private static final Ambiguous BROKEN = new Ambiguous("json: malformed (expected: valid JSON by RFC 8259)");

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final BodyFields FIELDS =
            BodyFields.of(List.of("ip", "json.user", "json.a.b", "json.a.b.c", "form.user", "header.x"));

    private static final BodyFields REQUIRED = BodyFields.of(List.of("json.user"), Set.of("json.user"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"user\":\"u-17\"} | u-17",
                "` \t\r\n{ \"x\" : 1 , \"user\" : \"u-17\" }` | u-17",
                "{\"user\":\"\"} | ``",
                "{\"user\":17} | 17",
                "{\"user\":-17} | -17",
                "{\"user\":true} | true",
                "{\"user\":false} | false",
                "{\"\\u0075ser\":\"u\\u002d17\"} | u-17",
                "{\"USER\":\"u-17\"} | u-17",
                "{\"u\u017fer\":\"u-17\"} | u-17",
                "{\"user\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"} | `\"\\/\b\f\n\r\t`",
                "{\"user\":\"\\u00e9\\ud83d\\ude00\"} | é😀",
                "{\"user\":\"é😀\"} | é😀",
                "{\"user\":\"\\u0000\"} | `\u0000`",
                "{\"x\":{\"user\":\"no\"},\"user\":\"u-17\"} | u-17",
                "{\"x\":[{\"user\":\"no\"},[],{},[[1,2.5e3,null]]],\"user\":\"u-17\"} | u-17",
                "{\"user\":\"u-17\"} and more | u-17",
                "{\"user\":\"u-17\"}{\"user\":\"other\"} | u-17",
                "{\"user\":\"${jndi:ldap://x}#{1+1}\"} | ${jndi:ldap://x}#{1+1}",
            })
    void readsAJsonField(String body, String expected) {
        assertThat(json(body)).isEqualTo(Map.of("json.user", expected));
    }

    @Test
    void readsFieldsOfNestedObjects() {
        assertThat(json("{\"a\":{\"x\":1,\"b\":\"deep\"}}")).isEqualTo(Map.of("json.a.b", "deep"));
        assertThat(json("{\"a\":{\"b\":{\"c\":\"deeper\"}}}")).isEqualTo(Map.of("json.a.b.c", "deeper"));
        assertThat(json("{\"a.b\":\"flat\"}")).isEqualTo(Map.of("json.a.b", "flat"));
        assertThat(json("{\"a\":[{\"b\":\"in an array\"}]}")).isEmpty();
        assertThat(json("{\"A\":{\"B\":1}}")).isEqualTo(Map.of("json.a.b", "1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"user\":null}",
                "{\"user\":[]}",
                "{\"user\":[\"u\"]}",
                "{\"user\":{}}",
                "{\"user\":{\"x\":1}}",
                "{\"users\":\"u\"}",
                "{\"user\":1e999}",
                // Anything but an object has no fields.
                "",
                " ",
                "null",
                "17",
                "\"user\"",
                "[{\"user\":\"u\"}]",
                "<user>u</user>",
            })
    void fieldsWithoutAValueAreAbsent(String body) {
        assertThat(json(body)).isEmpty();
    }

    /** Python accepts NaN; others accept comments, single quotes or an extra comma. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"user\"",
                "{\"user\":",
                "{\"user\":\"u",
                "{\"user\":\"u\"",
                "{\"user\":\"u\",",
                "{\"user\":\"u\",}",
                "{,\"user\":\"u\"}",
                "{\"user\":\"u\" \"x\":1}",
                "{\"user\" \"u\"}",
                "{user:\"u\"}",
                "{'user':'u'}",
                "{\"user\":u}",
                "{\"user\":tru}",
                "{\"user\":nul",
                "{\"user\":\"\\x\"}",
                "{\"user\":\"\\u12\"}",
                "{\"user\":\"\\u\uff11234\"}",
                "{\"user\":\"a\nb\"}",
                "{\"user\":\"a\u0000\"}",
                "{\"user\":\"u\",\"x\":01}",
                "{\"user\":\"u\",\"x\":+1}",
                "{\"user\":\"u\",\"x\":.5}",
                "{\"user\":\"u\",\"x\":1.}",
                "{\"user\":\"u\",\"x\":1e}",
                "{\"user\":\"u\",\"x\":-}",
                "{\"user\":\"u\",\"x\":NaN}",
                "{\"user\":\"u\",\"x\":Infinity}",
                "{\"user\":\"u\",\"x\":[1,]}",
                "{\"user\":\"u\",\"x\":[1}",
                "{\"user\":\"u\",\"x\":{]}",
                "{\"user\":\"u\" /* */}",
                "{\"user\":\"u\"\u00a0}",
            })
    void aBrokenObjectIsAmbiguous(String body) {
        assertThat(FIELDS.read("application/json", null, body.getBytes(UTF_8))).isEqualTo(BROKEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"user\":\"a\",\"user\":\"b\"}",
                "{\"user\":\"a\",\"user\":\"a\"}",
                "{\"user\":null,\"user\":\"a\"}",
                "{\"user\":{},\"user\":\"a\"}",
                "{\"user\":\"a\",\"\\u0075ser\":\"b\"}",
                "{\"user\":\"a\",\"User\":\"b\"}",
                "{\"user\":\"a\",\"u\u017fer\":\"b\"}",
                "{\"user\":\"a\",\"user\":\"b\"",
                "{\"a\":{\"b\":1},\"a\":{}}",
                "{\"a\":{\"b\":1},\"a\":5}",
                "{\"a\":{\"b\":1,\"b\":2}}",
                "{\"a\":{\"b\":1},\"a.b\":2}",
            })
    void aFieldThatOccursTwiceIsAmbiguous(String body) {
        assertThat(FIELDS.read("application/json", null, body.getBytes(UTF_8))).isInstanceOf(Ambiguous.class);
    }

    @Test
    void otherFieldsMayOccurTwice() {
        assertThat(json("{\"x\":1,\"x\":2,\"user\":\"u\"}")).isEqualTo(Map.of("json.user", "u"));
    }

    @Test
    void theMessageNamesTheFieldAndNotItsValues() {
        assertThat(FIELDS.read(null, null, "{\"user\":\"secret1\",\"user\":\"secret2\"}".getBytes(UTF_8)))
                .isEqualTo(new Ambiguous("json.user: more than one value (expected: one)"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "0.000, 0",
        "0e99999999999, 0",
        "17, 17",
        "17.0, 17",
        "17.000000, 17",
        "1.7e1, 17",
        "1.7E+1, 17",
        "170e-1, 17",
        "1700000000000000000000e-20, 17",
        "-17.0, -17",
        "1e3, 1000",
        "1000.0, 1000",
        "0.1e1, 1",
        "-0.0e-7, 0",
        "9007199254740991, 9007199254740991",
        "-9007199254740991, -9007199254740991",
        "9007199254740991.00, 9007199254740991",
        "9007199254740.991e3, 9007199254740991",
        "3.14, 3.14",
        "3.140, 3.14",
        "314e-2, 3.14",
        "-314e-2, -3.14",
        "0.1, 0.1",
        "10e-2, 0.1",
        "123456789012.345, 123456789012.345",
        "123456789012345e-3, 123456789012.345",
        "1e-300, 1E-300",
        "0.1e-299, 1E-300",
    })
    void aNumberHasOneTextHoweverItIsWritten(String number, String expected) {
        assertThat(json("{\"user\":" + number + "}")).isEqualTo(Map.of("json.user", expected));
    }

    /** A server that reads numbers as double takes several of these for the same caller, others do not. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "9007199254740992",
                "9007199254740993",
                "-9007199254740992",
                "9007199254740992.5",
                "9007199254740990.9",
                "9.007199254740993e15",
                "17.00000000000000000000000000001",
                "0.10000000000000001",
                "12345678901234568.1",
                "1234567890123456789",
                "1234567890123456789012345678901234567890",
                "1e16",
                "1e39",
                "1e400",
                "-1e400",
                "1e-400",
                "1e-320",
            })
    void aNumberThatServersReadDifferentlyIsUnread(String number) {
        byte[] body = ("{\"user\":" + number + "}").getBytes(UTF_8);
        assertThat(FIELDS.read("application/json", null, body)).isEqualTo(new Found(Map.of()));
        assertThat(REQUIRED.read("application/json", null, body))
                .isEqualTo(new Unread(
                        400,
                        "json.user: a number that servers read differently (expected: a whole number up to"
                                + " 9007199254740991, at most 15 digits with a fraction, or text)"));
        BodyFields others = BodyFields.of(List.of("json.user", "json.a.b"), Set.of("json.a.b"));
        assertThat(others.read("application/json", null, body)).isEqualTo(new Found(Map.of()));
    }

    @Test
    void numbersThatADoubleCannotTellApartNeverHaveTwoTexts() {
        SeededRandom random = SeededRandom.of("numbersThatADoubleCannotTellApartNeverHaveTwoTexts");
        Map<Double, String> texts = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            long near = random.oneOf(0L, 17L, 1L << 53, 900_719_925_474_099L) + random.nextInt(5) - 2;
            String number = near + random.oneOf("", ".0", ".5", ".25", "e0", "e1", "e-1", "e-3", ".0000000001", "0e-1");
            String text = JsonNumber.text(number);
            if (text != null) {
                assertThat(texts.computeIfAbsent(Double.parseDouble(number) + 0.0, any -> text))
                        .as(number)
                        .isEqualTo(text);
            }
        }
    }

    @Test
    void hugeNumbersAreNoTrouble() {
        String digits = "9".repeat(60_000);
        for (String number :
                List.of(digits, "0." + digits, "1e" + digits, "1e-" + digits, "0." + "0".repeat(60_000) + "e60000")) {
            json("{\"user\":" + number + "}").values().forEach(value -> assertThat(value.length())
                    .isLessThan(50));
        }
    }

    @ParameterizedTest
    @CsvSource({"'', 9, ''", "0., 9, ''", "1e, 9, ''", "1e-, 9, ''", "0., 0, e60000"})
    void aHugeNumberTakesTimeInProportionToItsLength(String start, String digit, String end) {
        Proportion.require(
                start + digit + end,
                60_000,
                length -> ("{\"user\":" + start + digit.repeat(length) + end + "}").getBytes(UTF_8),
                body -> FIELDS.read("application/json", null, body));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"})
    void theEncodingIsSeenFromTheBytes(String name) {
        Charset charset = Charset.forName(name);
        for (String mark : List.of("", "\ufeff")) {
            byte[] body = (mark + "{\"user\":\"jos\u00e9\"}").getBytes(charset);
            assertThat(FIELDS.read("application/json", null, body))
                    .isEqualTo(new Found(Map.of("json.user", "jos\u00e9")));
        }
    }

    @Test
    void badBytesElsewhereDoNotHideAField() {
        byte[] body = "{\"x\":\"\u00ff\",\"user\":\"u\"}".getBytes(ISO_8859_1);
        assertThat(FIELDS.read(null, null, body)).isEqualTo(new Found(Map.of("json.user", "u")));
        byte[] overlong = "{\"user\":\"a\u00c0\u00a2,\u00c0\u00a2b\"}".getBytes(ISO_8859_1);
        assertThat(((Found) FIELDS.read(null, null, overlong)).attributes().get("json.user"))
                .doesNotContain("\"");
    }

    @Test
    void loneSurrogatesStayApart() {
        assertThat(json("{\"user\":\"\\ud800\"}")).isEqualTo(Map.of("json.user", "\ud800"));
        assertThat(json("{\"user\":\"\\udc00\"}")).isEqualTo(Map.of("json.user", "\udc00"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/plain", "application/vnd.x+json", FORM, "", "rubbish;;="})
    void jsonIsReadWhateverItIsCalled(String type) {
        assertThat(FIELDS.read(type, null, "{\"user\":\"u\"}".getBytes(UTF_8)))
                .isEqualTo(new Found(Map.of("json.user", "u")));
    }

    @Test
    void nestingTakesNoStack() throws InterruptedException {
        List<String> bodies = List.of(
                "{\"x\":" + "[".repeat(60_000),
                "{\"x\":" + "{\"y\":".repeat(12_000),
                "{\"a\":".repeat(10_000),
                "{\"x\":" + "[".repeat(30_000) + "]".repeat(30_000) + ",\"user\":\"u\"}",
                "{\"x\":" + "[".repeat(30_000) + "]".repeat(29_999) + "},\"user\":\"u\"}",
                "{\"a\":".repeat(9_000) + "1" + "}".repeat(8_999) + ",\"user\":\"u\"}");
        BodyFields.Body[] found = new BodyFields.Body[bodies.size()];
        Thread thread = new Thread(
                null,
                () -> Arrays.setAll(
                        found,
                        i -> FIELDS.read("application/json", null, bodies.get(i).getBytes(UTF_8))),
                "small",
                256 * 1024);
        thread.start();
        thread.join();

        Found user = new Found(Map.of("json.user", "u"));
        assertThat(found).containsExactly(BROKEN, BROKEN, BROKEN, user, BROKEN, user);
    }

    @Test
    void requiredFieldsOfABodyThatIsTooLongAreUnread() {
        byte[] body = new byte[BodyFields.LARGEST_BODY + 1];
        Unread tooLong =
                new Unread(413, "body: too long (expected: at most 65536 bytes, because a limit needs its fields)");

        assertThat(REQUIRED.read("image/png", null, body)).isEqualTo(tooLong);
        assertThat(REQUIRED.unread(null, List.of(), "65537")).isEqualTo(tooLong);
        assertThat(REQUIRED.unread(null, List.of(), "65536")).isNull();
        assertThat(REQUIRED.unread(null, List.of(), "x")).isNull();
        BodyFields form = BodyFields.of(List.of("form.user"), Set.of("form.user"));
        assertThat(form.read(FORM, null, body)).isEqualTo(tooLong);
        assertThat(form.unread(FORM + ";charset=utf-8", List.of(), "65537")).isEqualTo(tooLong);
        assertThat(form.read("application/json", null, body)).isEqualTo(new Found(Map.of()));
        assertThat(form.unread("application/json", List.of(), "65537")).isNull();
        assertThat(FIELDS.unread(FORM, List.of("gzip"), "65537")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "GZIP", "br", "identity, gzip", " , deflate", "x"})
    void requiredFieldsOfACompressedBodyAreUnread(String coding) {
        Unread unread = REQUIRED.unread("application/json", List.of("identity", coding), "2");
        assertThat(unread).isNotNull();
        assertThat(unread.status()).isEqualTo(415);
        assertThat(REQUIRED.unread("application/json", List.of("identity", " Identity ,"), "2"))
                .isNull();
    }

    @Test
    void requiredFieldsOfAMultipartFormAreUnread() {
        BodyFields form = BodyFields.of(List.of("form.user"), Set.of("form.user"));
        Unread unread = form.unread(" Multipart/Form-Data; boundary=b", List.of(), null);
        assertThat(unread).isNotNull();
        assertThat(unread.status()).isEqualTo(415);
        assertThat(REQUIRED.unread("multipart/form-data", List.of(), "2"))
                .as("no JSON")
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "/* x */ {\"user\":\"u\"}", "'u'", ")]}'{}", "[", "nul", "1 {\"user\":\"u\"}"})
    void aBodyThatIsCalledJsonAndIsNotIsUnread(String body) {
        for (String type : List.of("application/json", "application/vnd.x+json; charset=utf-8", "text/json")) {
            assertThat(REQUIRED.read(type, null, body.getBytes(UTF_8)))
                    .isEqualTo(new Unread(400, "json: malformed (expected: valid JSON by RFC 8259)"));
            assertThat(FIELDS.read(type, null, body.getBytes(UTF_8))).isEqualTo(new Found(Map.of()));
        }
        assertThat(REQUIRED.read("text/plain", null, body.getBytes(UTF_8))).isEqualTo(new Found(Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", " [1] ", "null", "17", "\"user\"", "{\"user\":null}", "{}"})
    void validJsonWithoutTheFieldLacksIt(String body) {
        assertThat(REQUIRED.read("application/json", null, body.getBytes(UTF_8)))
                .isEqualTo(new Found(Map.of()));
    }

    @Test
    void bodiesThatAreTooLargeHaveNoFields() {
        String head = "{\"user\":\"u\",\"x\":\"";
        String fits = head + "x".repeat(BodyFields.LARGEST_BODY - head.length() - 2) + "\"}";

        assertThat(fits).hasSize(BodyFields.LARGEST_BODY);
        assertThat(json(fits)).isEqualTo(Map.of("json.user", "u"));
        assertThat(json(fits + " ")).isEmpty();
        assertThat(form("user=u&x=" + "x".repeat(BodyFields.LARGEST_BODY))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "user=u-17 | u-17",
                "x=1&user=u-17&y | u-17",
                "USER=u-17 | u-17",
                "user= | ``",
                "user | ``",
                "user=a+b%20c%2B | a b c+",
                "us%65r=u%2d17 | u-17",
                "user=a=b=c | a=b=c",
                "user=%26%3D%3B | &=;",
                "user=josé | josé",
                "user=jos%C3%A9 | josé",
                "user=%zz%4 | %zz%4",
                "user=% | %",
                "&&user=u&& | u",
                "user=%00 | `\u0000`",
                "user=%E9 | \ufffd",
                "x=1;y=2&user=u | u",
                "user=${jndi:x} | ${jndi:x}",
            })
    void readsAFormField(String body, String expected) {
        assertThat(form(body)).isEqualTo(Map.of("form.user", expected));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user=a&user=b",
                "user=a&user=a",
                "user=a&User=b",
                "user=a&us%65r=b",
                "user&user",
                "user=a;b",
                "x=1;user=a",
                "user=a;user=b",
                "user[]=a",
                "user[x]=a",
                "+user=a",
                "%20user=a",
                "user%00x=a",
                "user=a&user[]=b",
            })
    void aFormFieldOnWhichServersDifferIsAmbiguous(String body) {
        assertThat(((Ambiguous) FIELDS.read(FORM, null, body.getBytes(UTF_8))).message())
                .isEqualToIgnoringCase("form.user: more than one value (expected: one)");
    }

    @Test
    void aFormFieldInTheQueryIsAmbiguous() {
        assertThat(FIELDS.read(FORM, "user=victim", "user=me".getBytes(UTF_8))).isInstanceOf(Ambiguous.class);
        assertThat(FIELDS.read(FORM, "us%65r=victim", new byte[0])).isInstanceOf(Ambiguous.class);
        assertThat(FIELDS.read(FORM, "x=1", "user=me".getBytes(UTF_8))).isEqualTo(new Found(Map.of("form.user", "me")));
        assertThat(FIELDS.read("text/plain", "user=victim", new byte[0])).isEqualTo(new Found(Map.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/x-www-form-urlencoded | é",
                "Application/X-WWW-Form-Urlencoded ; Charset=\"UTF-8\" | é",
                "application/x-www-form-urlencoded;charset=utf8 | é",
                "application/x-www-form-urlencoded;charset=ISO-8859-1 | Ã©",
            })
    void theCharsetIsThatOfTheContentType(String type, String expected) {
        assertThat(FIELDS.read(type, null, "user=%C3%A9".getBytes(UTF_8)))
                .isEqualTo(new Found(Map.of("form.user", expected)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ibm037", "utf-16", "utf-7", "x", "utf-8;charset=ibm037"})
    void charsetsThatHideFieldsAreAmbiguous(String charset) {
        assertThat(FIELDS.read(FORM + ";charset=" + charset, null, "user=u".getBytes(UTF_8)))
                .isInstanceOf(Ambiguous.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencodedx"})
    void otherTypesAreNoForms(String type) {
        assertThat(FIELDS.read(type, null, "user=u".getBytes(UTF_8))).isEqualTo(new Found(Map.of()));
        assertThat(FIELDS.read(null, null, "user=u".getBytes(UTF_8))).isEqualTo(new Found(Map.of()));
    }

    @Test
    void readsNothingWhereNothingIsWanted() {
        BodyFields none = BodyFields.of(List.of("ip", "header.x"));

        assertThat(none.isEmpty()).isTrue();
        assertThat(FIELDS.isEmpty()).isFalse();
        assertThat(none.read(FORM, "user=1", "user=u&user=v".getBytes(UTF_8))).isEqualTo(new Found(Map.of()));
    }

    @Test
    void neverThrowsWhateverTheBody() {
        SeededRandom random = SeededRandom.of("neverThrowsWhateverTheBody");
        String[] pieces = {
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"user\"",
            "\"a\"",
            "\"b\"",
            "\"",
            "\\",
            "\\u",
            "00e9",
            "1",
            "-",
            "e",
            ".",
            "true",
            "null",
            " ",
            "\n",
            "\u0000",
            "\ufeff",
            "é",
            "user=",
            "&",
            "%",
            "%41",
            ";",
            "+",
            "\ud800"
        };
        for (int i = 0; i < 50_000; i++) {
            StringBuilder body = new StringBuilder(random.nextBoolean() ? "{\"user\":" : "");
            for (int j = random.nextInt(12); j > 0; j--) {
                body.append(random.oneOf(pieces));
            }
            byte[] bytes = body.toString().getBytes(random.oneOf(UTF_8, ISO_8859_1, Charset.forName("UTF-16")));
            assertThat(FIELDS.read(random.oneOf(FORM, "application/json", null), body.toString(), bytes))
                    .isNotNull();
        }
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            assertThat(FIELDS.read(FORM, null, bytes)).isNotNull();
        }
    }

    @Test
    void everyTruncationIsReadOrNotAndNeverWrongly() {
        String whole = "{\"x\":[1,{\"y\":\"\\u00e9\"}],\"user\":\"u-17\",\"z\":-1.5e+3}";
        assertThat(json("")).isEmpty();
        for (int end = 1; end < whole.length(); end++) {
            assertThat(FIELDS.read(
                            "application/json", null, whole.substring(0, end).getBytes(UTF_8)))
                    .isEqualTo(BROKEN);
        }
        assertThat(json(whole)).isEqualTo(Map.of("json.user", "u-17"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`{\"user\":\"`, `\\u00e9`, `\"}`",
                "``, `&`, ``",
                "``, `a=1;`, ``",
                "`user=`, `%41`, ``",
            })
    void a18TheLargestBodiesTakeTimeInProportionToTheirLength(String start, String part, String end) {
        Proportion.require(
                part,
                BodyFields.LARGEST_BODY - 100,
                length -> (start + part.repeat(length / part.length()) + end).getBytes(UTF_8),
                body -> FIELDS.read(FORM, null, body));
    }

    @Test
    void a18ABodyOfManyKeysTakesTimeInProportionToThem() {
        Proportion.require(
                "keys",
                8_000,
                many -> {
                    StringBuilder keys = new StringBuilder("{\"user\":1");
                    for (int i = 0; i < many; i++) {
                        keys.append(",\"").append(i % 1_000).append("\":1");
                    }
                    return keys.append('}').toString().getBytes(UTF_8);
                },
                body -> FIELDS.read(FORM, null, body));
    }

    private static Map<String, String> json(String body) {
        return found(FIELDS.read("application/json", null, body.getBytes(UTF_8)));
    }

    private static Map<String, String> form(String body) {
        return found(FIELDS.read(FORM, null, body.getBytes(UTF_8)));
    }

    private static Map<String, String> found(@Nullable Body body) {
        assertThat(body).isInstanceOf(Found.class);
        return ((Found) body).attributes();
    }

    /** PHP ends a media type at a comma or a space, too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/x-www-form-urlencoded, x",
                "application/x-www-form-urlencoded x",
                "Application/X-WWW-Form-Urlencoded\t; charset=utf-8",
                " application/x-www-form-urlencoded,multipart/form-data"
            })
    void aTypeWithSomethingBehindItIsThatType(String type) {
        assertThat(BodyFields.of(List.of("form.user")).read(type, null, "user=a".getBytes(UTF_8)))
                .isEqualTo(new Found(Map.of("form.user", "a")));
    }
}
