package io.sluice.rules.snapshot;

import io.sluice.rules.document.RuleDocument;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Splits a written set, which has one rule per line, into documents of some thousand lines. Each document is created on demand, because
 * parsing all of them together would take many times the memory of the text. Iterating throws {@link UncheckedIOException} if the text is
 * not UTF-8.
 */
final class SetChunks implements Iterable<RuleDocument.Text> {

    /** The maximum number of lines of a document. A whole set may exceed the bounds of one document. */
    private static final int LINES = 5_000;

    private final String name;
    private final byte[] text;
    private final int from;
    private final int to;

    /**
     * Splits a part of a text.
     *
     * @param from the start of the first rule
     * @param to the end of the last rule; before {@code from} if there is none
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

    /** Returns the end of a line, which is before a comma and a line feed, or at the end of the text. */
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
