package io.sluice.rules.snapshot;

import io.sluice.rules.document.RuleDocument;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The rules of a written set, a line each, as documents of some thousand lines. Each is made when it is asked for: all at once would
 * take many times the text. Iterating throws {@link UncheckedIOException} where the text is not UTF-8.
 */
final class SetChunks implements Iterable<RuleDocument.Text> {

    /** Documents have bounds that a whole set may exceed. */
    private static final int LINES = 5_000;

    private final String name;
    private final byte[] text;
    private final int from;
    private final int to;

    /**
     * Of a part of a text.
     *
     * @param from where the first rule begins
     * @param to where the last one ends; before {@code from} if there is none
     */
    SetChunks(String name, byte[] text, int from, int to) {
        this.name = name;
        this.text = text;
        this.from = from;
        this.to = to;
    }

    int lines() {
        int lines = 0;
        for (int at = from; at <= to; at = end(at) + 2) {
            lines++;
        }
        return lines;
    }

    @Override
    public Iterator<RuleDocument.Text> iterator() {
        return new Iterator<>() {
            private int next = from;

            @Override
            public boolean hasNext() {
                return next <= to;
            }

            @Override
            public RuleDocument.Text next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                int begin = next;
                int end = begin;
                for (int i = 0; i < LINES && next <= to; i++) {
                    end = end(next);
                    next = end + 2;
                }
                return document(begin, end);
            }
        };
    }

    /** Where a line ends: before a comma and a line feed, or with the text. */
    private int end(int begin) {
        for (int i = begin; i + 1 < to; i++) {
            if (text[i] == ',' && text[i + 1] == '\n') {
                return i;
            }
        }
        return to;
    }

    private RuleDocument.Text document(int begin, int end) {
        try {
            CharSequence rules = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text, begin, end - begin));
            return new RuleDocument.Text(name, "{\"rules\":[" + rules + "]}");
        } catch (CharacterCodingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
