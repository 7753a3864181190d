package io.sluice.replay.imports.nginx;

import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Spot;
import io.sluice.rules.yaml.Place;
import java.util.ArrayList;
import java.util.List;

/** Splits a configuration of nginx into words and the three signs between them. Not thread-safe. */
final class NginxLexer {

    private static final int MOST_TOKENS = 500_000;

    private final ForeignFile file;
    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    private NginxLexer(ForeignFile file) {
        this.file = file;
        this.text = file.text();
    }

    /**
     * A word or a sign.
     *
     * @param quoted whether a word was in quotes, so that it cannot be a sign
     */
    record Token(Spot spot, String text, boolean quoted) {

        boolean is(String sign) {
            return !quoted && text.equals(sign);
        }

        boolean isSign() {
            return is(";") || is("{") || is("}");
        }
    }

    static List<Token> tokens(ForeignFile file) throws ImportRefusedException {
        return new NginxLexer(file).read();
    }

    private List<Token> read() throws ImportRefusedException {
        List<Token> tokens = new ArrayList<>();
        space();
        while (at < text.length()) {
            if (tokens.size() >= MOST_TOKENS) {
                throw new ImportRefusedException(
                        here(), "words: more than " + MOST_TOKENS + " (expected: a smaller file)");
            }
            tokens.add(next());
            space();
        }
        return tokens;
    }

    private Token next() throws ImportRefusedException {
        Spot spot = here();
        char c = text.charAt(at);
        if (c == ';' || c == '{' || c == '}') {
            at++;
            return new Token(spot, String.valueOf(c), false);
        }
        return c == '"' || c == '\'' ? quoted(spot, c) : word(spot);
    }

    private Token quoted(Spot spot, char quote) throws ImportRefusedException {
        StringBuilder word = new StringBuilder();
        at++;
        while (at < text.length() && text.charAt(at) != quote) {
            boolean escapes = text.charAt(at) == '\\' && at + 1 < text.length();
            boolean dropped = escapes && (text.charAt(at + 1) == quote || text.charAt(at + 1) == '\\');
            if (escapes && !dropped) {
                word.append('\\');
            }
            at += escapes ? 1 : 0;
            newline();
            word.append(text.charAt(at++));
        }
        if (at >= text.length()) {
            throw new ImportRefusedException(spot, "text: without an end (expected: a closing " + quote + ")");
        }
        at++;
        return new Token(spot, word.toString(), true);
    }

    private Token word(Spot spot) {
        int start = at;
        while (at < text.length() && !isEnd(text.charAt(at))) {
            if (text.startsWith("${", at)) {
                int end = text.indexOf('}', at);
                at = end < 0 ? at + 1 : end;
            }
            at += text.charAt(at) == '\\' && at + 1 < text.length() && text.charAt(at + 1) > ' ' ? 2 : 1;
        }
        return new Token(spot, text.substring(start, Math.min(at, text.length())), false);
    }

    private static boolean isEnd(char c) {
        return c <= ' ' || c == ';' || c == '{' || c == '}';
    }

    private void space() {
        while (at < text.length()) {
            if (text.charAt(at) == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (text.charAt(at) <= ' ' || text.charAt(at) == '\uFEFF') {
                newline();
                at++;
            } else {
                return;
            }
        }
    }

    private void newline() {
        if (text.charAt(at) == '\n') {
            line++;
            lineStart = at + 1;
        }
    }

    private Spot here() {
        return new Spot(file.name(), new Place(line, at - lineStart + 1));
    }
}
