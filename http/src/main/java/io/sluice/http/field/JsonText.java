package io.sluice.http.field;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Decodes the text of a JSON body. It should be UTF-8, but some servers also accept the other Unicode encodings, which are
 * distinguished by the first bytes (RFC 4627). Invalid bytes are replaced, as on many servers. Otherwise the body would be
 * unreadable only here.
 */
final class JsonText {

    private JsonText() {}

    static String of(byte[] body) {
        String text = new String(body, charset(body));
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    private static Charset charset(byte[] body) {
        int a = at(body, 0);
        int b = at(body, 1);
        int c = at(body, 2);
        int d = at(body, 3);
        if ((a == 0 && b == 0 && c == 0 && d > 0) || (a == 0 && b == 0 && c == 0xfe && d == 0xff)) {
            return Charset.forName("UTF-32BE");
        }
        if ((a > 0 && b == 0 && c == 0 && d == 0) || (a == 0xff && b == 0xfe && c == 0 && d == 0)) {
            return Charset.forName("UTF-32LE");
        }
        if ((a == 0 && b > 0) || (a == 0xfe && b == 0xff)) {
            return StandardCharsets.UTF_16BE;
        }
        if ((a > 0 && b == 0) || (a == 0xff && b == 0xfe)) {
            return StandardCharsets.UTF_16LE;
        }
        return StandardCharsets.UTF_8;
    }

    private static int at(byte[] body, int index) {
        return index < body.length ? body[index] & 0xff : -1;
    }
}
