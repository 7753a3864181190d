package io.sluice.rules.evaluate;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Feeds texts to a hash, each after its length and character by character as they are, so that different tuples are different
 * bytes, whatever is in them. Takes little memory however long they are.
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
