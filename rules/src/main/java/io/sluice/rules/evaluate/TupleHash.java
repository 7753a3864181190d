package io.sluice.rules.evaluate;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Feeds texts to a hash. Each text is preceded by its length and written character by character, so that different tuples always
 * give different bytes. Needs little memory, however long the texts are.
 */
final class TupleHash {

    private final ByteBuffer buffer = ByteBuffer.allocate(1_024);
    private final Consumer<ByteBuffer> hash;

    TupleHash(Consumer<ByteBuffer> hash) {
        this.hash = hash;
    }

    void add(char kind, String text) {
        room(Character.BYTES + Integer.BYTES);
        buffer.putChar(kind).putInt(text.length());
        for (int i = 0; i < text.length(); i++) {
            room(Character.BYTES);
            buffer.putChar(text.charAt(i));
        }
    }

    void end() {
        hash.accept(buffer.flip());
        buffer.clear();
    }

    private void room(int bytes) {
        if (buffer.remaining() < bytes) {
            end();
        }
    }
}
