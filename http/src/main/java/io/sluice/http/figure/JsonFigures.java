package io.sluice.http.figure;

import io.sluice.http.figure.FigurePaths.Node;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the figures of a JSON document from its bytes, as they arrive. Strict by RFC 8259, except that bytes of text are not checked to be
 * UTF-8.
 *
 * <p>It keeps no text. A name is kept up to the length of the longest wanted name, a number up to {@link WholeNumber#LONGEST} characters,
 * and only in objects on the path to a figure; each enclosing level takes a bit. A document that is nested more than {@value #DEEPEST}
 * times counts as broken. Most bytes of an answer are text, so the loop over text is the most optimised.
 *
 * <p>A list at the root is a list of documents, as some servers stream them: paths begin in each of its elements, and an element
 * counts when it has ended.
 */
final class JsonFigures {

    /** The maximum nesting of objects and lists. */
    static final int DEEPEST = 512;

    private static final int HEX_DIGITS = 4;

    /** The element that may come next. */
    private enum State {
        VALUE,
        FIRST_ELEMENT,
        FIRST_NAME,
        NAME,
        COLON,
        AFTER_VALUE,
        TEXT,
        ESCAPE,
        HEX,
        WORD,
        AFTER_MINUS,
        AFTER_ZERO,
        DIGITS,
        AFTER_POINT,
        FRACTION,
        AFTER_E,
        AFTER_SIGN,
        EXPONENT,
        ENDED,
        BROKEN
    }

    private final Node root;
    private final FoundFigures found;
    private final @Nullable Node[] open;
    private final int[] elements;
    private final BitSet objects = new BitSet();
    private final byte[] name;
    private final byte[] number = new byte[WholeNumber.LONGEST];

    private State state = State.VALUE;
    private int depth;

    /** The place of the next value; null if no figure is in it. */
    private @Nullable Node place;

    private boolean inName;
    private boolean nameKept;
    private int nameLength;
    private int numberLength;
    private String word = "";
    private int wordAt;
    private int hexDigits;
    private int unit;
    private int highSurrogate;

    JsonFigures(FigurePaths paths, FoundFigures found) {
        this.root = paths.root();
        this.found = found;
        this.open = new @Nullable Node[paths.deepest() + 2];
        this.elements = new int[open.length];
        this.name = new byte[paths.longestName() + 1];
        this.place = root;
    }

    /** Starts another document. */
    void restart() {
        found.drop();
        state = State.VALUE;
        depth = 0;
        place = root;
    }

    boolean isBroken() {
        return state == State.BROKEN;
    }

    /** Returns whether the whole document has arrived. */
    boolean hasEnded() {
        return state == State.ENDED;
    }

    /** Accepts the figures if the whole document has arrived; otherwise drops them. */
    void finish() {
        if (hasEnded()) {
            found.accept();
        } else {
            found.drop();
        }
    }

    void take(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && state != State.BROKEN) {
            at = state == State.TEXT && !(inName && nameKept) ? skipText(bytes, at, to) : next(bytes[at], at);
        }
    }

    /** Skips unwanted text. Returns the index after it. */
    private int skipText(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
                text(b);
                return at + 1;
            }
        }
        return to;
    }

    /** Takes a byte. Returns its index if it has to be taken again, because it showed the end of a number. */
    private int next(byte b, int at) {
        switch (state) {
            case VALUE -> value(b);
            case FIRST_ELEMENT -> {
                if (b == ']') {
                    close(b);
                } else {
                    value(b);
                }
            }
            case FIRST_NAME -> {
                if (b == '}') {
                    close(b);
                } else {
                    name(b);
                }
            }
            case NAME -> name(b);
            case COLON -> {
                if (b == ':') {
                    state = State.VALUE;
                } else {
                    blank(b);
                }
            }
            case AFTER_VALUE -> afterValue(b);
            case TEXT -> text(b);
            case ESCAPE -> escape(b);
            case HEX -> hex(b);
            case WORD -> word(b);
            case ENDED -> blank(b);
            case BROKEN -> {}
            default -> {
                if (!number(b)) {
                    return at;
                }
            }
        }
        return at + 1;
    }

    private void blank(byte b) {
        if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
            broken();
        }
    }

    private void broken() {
        state = State.BROKEN;
        found.drop();
    }

    private void value(byte b) {
        switch (b) {
            case '{' -> open(true);
            case '[' -> open(false);
            case '"' -> {
                inName = false;
                state = State.TEXT;
            }
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            case '-' -> numberBegins(b, State.AFTER_MINUS);
            case '0' -> numberBegins(b, State.AFTER_ZERO);
            default -> {
                if (isDigit(b)) {
                    numberBegins(b, State.DIGITS);
                } else {
                    blank(b);
                }
            }
        }
    }

    private void open(boolean object) {
        if (depth == DEEPEST) {
            broken();
            return;
        }
        objects.set(depth++, object);
        Node here = place == null || place.isLeaf() ? null : place;
        if (depth < open.length) {
            open[depth] = here;
            elements[depth] = 0;
        }
        state = object ? State.FIRST_NAME : State.FIRST_ELEMENT;
        if (!object) {
            place = element();
        }
    }

    /** Returns the place of the next element of the innermost list. */
    private @Nullable Node element() {
        Node here = depth < open.length ? open[depth] : null;
        if (here == null) {
            return null;
        }
        byte[] index = Integer.toString(elements[depth]++).getBytes(StandardCharsets.US_ASCII);
        Node child = here.child(index, index.length);
        return child == null && depth == 1 ? root : child;
    }

    private void close(byte b) {
        if (b != (objects.get(depth - 1) ? '}' : ']')) {
            broken();
            return;
        }
        depth--;
        valueEnded();
    }

    private void valueEnded() {
        if (depth == 0) {
            state = State.ENDED;
            return;
        }
        if (depth == 1 && !objects.get(0)) {
            found.accept();
        }
        state = State.AFTER_VALUE;
    }

    private void afterValue(byte b) {
        if (b == ',') {
            if (objects.get(depth - 1)) {
                state = State.NAME;
            } else {
                state = State.VALUE;
                place = element();
            }
        } else if (b == '}' || b == ']') {
            close(b);
        } else {
            blank(b);
        }
    }

    private void name(byte b) {
        if (b == '"') {
            inName = true;
            nameKept = depth < open.length && open[depth] != null;
            nameLength = 0;
            state = State.TEXT;
            highSurrogate = 0;
        } else {
            blank(b);
        }
    }

    private void text(byte b) {
        if (b == '"') {
            textEnded();
        } else if (b == '\\') {
            state = State.ESCAPE;
        } else if (b >= 0 && b < ' ') {
            broken();
        } else {
            keep(b);
        }
    }

    private void textEnded() {
        if (inName) {
            Node here = depth < open.length ? open[depth] : null;
            boolean whole = nameKept && nameLength < name.length && highSurrogate == 0;
            place = here != null && whole ? here.child(name, nameLength) : null;
            state = State.COLON;
        } else {
            valueEnded();
        }
    }

    /** Keeps a byte of a name. A name that is too long is not a wanted name. */
    private void keep(int b) {
        if (inName && nameKept && nameLength < name.length) {
            if (highSurrogate != 0) {
                nameLength = name.length;
            } else {
                name[nameLength++] = (byte) b;
            }
        }
    }

    private void escape(byte b) {
        state = State.TEXT;
        switch (b) {
            case '"', '\\', '/' -> keep(b);
            case 'b' -> keep('\b');
            case 'f' -> keep('\f');
            case 'n' -> keep('\n');
            case 'r' -> keep('\r');
            case 't' -> keep('\t');
            case 'u' -> {
                state = State.HEX;
                hexDigits = 0;
                unit = 0;
            }
            default -> broken();
        }
    }

    private void hex(byte b) {
        int digit = Character.digit(b, 16);
        if (digit < 0) {
            broken();
            return;
        }
        unit = unit << 4 | digit;
        if (++hexDigits == HEX_DIGITS) {
            state = State.TEXT;
            if (inName && nameKept) {
                keepUnit();
            }
        }
    }

    private void keepUnit() {
        char c = (char) unit;
        if (highSurrogate == 0 && Character.isHighSurrogate(c)) {
            highSurrogate = unit;
            return;
        }
        String text;
        if (highSurrogate != 0 && Character.isLowSurrogate(c)) {
            text = new String(new char[] {(char) highSurrogate, c});
            highSurrogate = 0;
        } else if (highSurrogate != 0 || Character.isSurrogate(c)) {
            nameLength = name.length; // half a character is in no wanted name
            return;
        } else {
            text = String.valueOf(c);
        }
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            keep(b);
        }
    }

    private void word(String expected) {
        word = expected;
        wordAt = 1;
        state = State.WORD;
    }

    private void word(byte b) {
        if (b != word.charAt(wordAt++)) {
            broken();
        } else if (wordAt == word.length()) {
            valueEnded();
        }
    }

    private void numberBegins(byte b, State then) {
        numberLength = 0;
        keepDigit(b);
        state = then;
    }

    private void keepDigit(byte b) {
        if (numberLength < number.length) {
            number[numberLength] = b;
        }
        numberLength = Math.min(numberLength + 1, number.length + 1);
    }

    /** Takes a byte of a number. Returns false if the number has ended before it. */
    private boolean number(byte b) {
        State then =
                switch (state) {
                    case AFTER_MINUS -> b == '0' ? State.AFTER_ZERO : isDigit(b) ? State.DIGITS : State.BROKEN;
                    case AFTER_ZERO -> pointOrE(b);
                    case DIGITS -> isDigit(b) ? State.DIGITS : pointOrE(b);
                    case AFTER_POINT -> isDigit(b) ? State.FRACTION : State.BROKEN;
                    case FRACTION -> isDigit(b) ? State.FRACTION : isE(b) ? State.AFTER_E : State.ENDED;
                    case AFTER_E ->
                        isDigit(b) ? State.EXPONENT : b == '+' || b == '-' ? State.AFTER_SIGN : State.BROKEN;
                    case AFTER_SIGN -> isDigit(b) ? State.EXPONENT : State.BROKEN;
                    default -> isDigit(b) ? State.EXPONENT : State.ENDED;
                };
        if (then == State.BROKEN) {
            broken();
            return true;
        }
        if (then == State.ENDED) {
            numberEnded();
            return false;
        }
        keepDigit(b);
        state = then;
        return true;
    }

    private static State pointOrE(byte b) {
        return b == '.' ? State.AFTER_POINT : isE(b) ? State.AFTER_E : State.ENDED;
    }

    private void numberEnded() {
        if (place != null && place.isFigure() && numberLength <= number.length) {
            long figure = WholeNumber.of(new String(number, 0, numberLength, StandardCharsets.US_ASCII));
            if (figure != WholeNumber.NONE) {
                place.note(found, figure);
            }
        }
        valueEnded();
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static boolean isE(byte b) {
        return b == 'e' || b == 'E';
    }
}
