package io.sluice.testkit.redis;

import java.util.List;

/** The reply of Redis to a command. Reading it as the wrong type fails with a message that shows the reply. */
public sealed interface RedisReply {

    /** A status or a string. */
    record Text(String text) implements RedisReply {}

    /** An integer. */
    record Whole(long number) implements RedisReply {}

    /** An array. */
    record Many(List<RedisReply> list) implements RedisReply {
        public Many {
            list = List.copyOf(list);
        }
    }

    /** An error, without its leading minus sign: {@code READONLY You can't write against a read only replica.} */
    record Failure(String error) implements RedisReply {}

    /** The null reply. */
    record Nothing() implements RedisReply {}

    default String text() {
        throw not("a text");
    }

    default long number() {
        throw not("a number");
    }

    default List<RedisReply> list() {
        throw not("a list");
    }

    default String error() {
        throw not("an error");
    }

    /** Returns the texts of a list of texts. */
    default List<String> texts() {
        return list().stream().map(RedisReply::text).toList();
    }

    private IllegalStateException not(String expected) {
        return new IllegalStateException("reply: " + this + " (expected: " + expected + ")");
    }
}
