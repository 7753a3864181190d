package io.sluice.testkit.redis;

import java.util.List;

/** What Redis answers to a command. A reply read as something that it is not fails and says what it is. */
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

    /** Null. */
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

    /** The texts of a list of texts. */
    default List<String> texts() {
        return list().stream().map(RedisReply::text).toList();
    }

    private IllegalStateException not(String expected) {
        return new IllegalStateException("reply: " + this + " (expected: " + expected + ")");
    }
}
