package io.sluice.center.explain;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a command as a shell would split it: quotation marks, backslashes and {@code $'…'} are understood. Nothing is run and
 * nothing is expanded. Immutable.
 *
 * @param list the words of the first command
 * @param expands whether a shell would replace a part of the command, such as a variable
 * @param rest whether more text follows the first command, such as a pipe
 */
record ShellWords(List<String> list, boolean expands, boolean rest) {

    private static final int MOST_WORDS = 2_000;

    ShellWords {
        list = List.copyOf(list);
    }

    /**
     * Splits a command.
     *
     * @throws IllegalArgumentException if a quotation mark is not closed or there are too many words
     */
    static ShellWords of(String text) {
        return new Reader(text).read();
    }

    /** Reads one text. */
    private static final class Reader {

        private final String text;

        /** The position after which only blanks follow. */
        private final int end;

        private final List<String> words = new ArrayList<>();
        private final StringBuilder word = new StringBuilder();
        private boolean isWord;
        private boolean expands;
        private int at;

        Reader(String text) {
            this.text = text;
            this.end = text.stripTrailing().length();
        }

        ShellWords read() {
            while (at < text.length()) {
                char c = text.charAt(at++);
                switch (c) {
                    case ' ', '\t', '\r' -> end();
                    case '\n' -> {
                        end();
                        if (!words.isEmpty() && at < end) {
                            return new ShellWords(words, expands, true);
                        }
                    }
                    case '|', ';', '&', '<', '>', '(', ')' -> {
                        end();
                        return new ShellWords(words, expands, true);
                    }
                    case '\'' -> single();
                    case '"' -> doubled();
                    case '\\' -> escaped();
                    case '$' -> dollar();
                    case '`' -> {
                        expands = true;
                        add(c);
                    }
                    case '#' -> {
                        if (isWord) {
                            add(c);
                        } else {
                            comment();
                        }
                    }
                    default -> add(c);
                }
            }
            end();
            return new ShellWords(words, expands, false);
        }

        private void comment() {
            while (at < text.length() && text.charAt(at) != '\n') {
                at++;
            }
        }

        private void escaped() {
            if (at >= text.length()) {
                return;
            }
            char c = text.charAt(at++);
            if (c == '\r' && at < text.length() && text.charAt(at) == '\n') {
                at++;
            } else if (c != '\n') {
                add(c);
            }
        }

        private void single() {
            isWord = true;
            int end = text.indexOf('\'', at);
            if (end < 0) {
                throw unclosed();
            }
            word.append(text, at, end);
            at = end + 1;
        }

        private void doubled() {
            isWord = true;
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    return;
                }
                if (c == '\\' && at < text.length() && "\"\\$`\n".indexOf(text.charAt(at)) >= 0) {
                    char next = text.charAt(at++);
                    if (next != '\n') {
                        word.append(next);
                    }
                    continue;
                }
                expands |= c == '`' || (c == '$' && isName(at));
                word.append(c);
            }
            throw unclosed();
        }

        private void dollar() {
            if (at < text.length() && text.charAt(at) == '\'') {
                at++;
                ansi();
                return;
            }
            expands |= isName(at);
            add('$');
        }

        private boolean isName(int place) {
            return place < text.length()
                    && (Character.isLetter(text.charAt(place)) || "_{(".indexOf(text.charAt(place)) >= 0);
        }

        /** Reads {@code $'…'}, which browsers use when they copy requests. */
        private void ansi() {
            isWord = true;
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '\'') {
                    return;
                }
                if (c != '\\' || at >= text.length()) {
                    word.append(c);
                    continue;
                }
                char kind = text.charAt(at++);
                switch (kind) {
                    case 'n' -> word.append('\n');
                    case 't' -> word.append('\t');
                    case 'r' -> word.append('\r');
                    case 'a' -> word.append('\u0007');
                    case 'b' -> word.append('\b');
                    case 'e', 'E' -> word.append('\u001b');
                    case 'f' -> word.append('\f');
                    case 'v' -> word.append('\u000b');
                    case 'x' -> number(16, 2);
                    case 'u' -> number(16, 4);
                    case 'U' -> number(16, 8);
                    case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                        at--;
                        number(8, 3);
                    }
                    default -> word.append(kind);
                }
            }
            throw unclosed();
        }

        private void number(int radix, int most) {
            int code = 0;
            int digits = 0;
            while (digits < most && at < text.length() && Character.digit(text.charAt(at), radix) >= 0) {
                code = code * radix + Character.digit(text.charAt(at++), radix);
                digits++;
            }
            if (digits > 0 && Character.isValidCodePoint(code)) {
                word.appendCodePoint(code);
            }
        }

        private void add(char c) {
            isWord = true;
            word.append(c);
        }

        private void end() {
            if (isWord) {
                if (words.size() == MOST_WORDS) {
                    throw new IllegalArgumentException(
                            "curl: more than " + MOST_WORDS + " words (expected: one curl command)");
                }
                words.add(word.toString());
            }
            word.setLength(0);
            isWord = false;
        }

        private static IllegalArgumentException unclosed() {
            return new IllegalArgumentException(
                    "curl: a quotation mark is not closed (expected: the whole command, as it is run in a shell)");
        }
    }
}
