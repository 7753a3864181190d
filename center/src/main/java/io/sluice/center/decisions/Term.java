package io.sluice.center.decisions;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DecisionEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A field of a decision that can be searched. */
enum Term {
    RULE('r'),
    LIMIT('l'),
    NODE('n'),
    REQUEST('q'),
    TRACE('t'),
    /** The masked text or the hash of the caller, or of any attribute. */
    CALLER('c'),
    RESOURCE('p'),
    OUTCOME('o');

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** The mark that distinguishes fields with the same value. Files contain hashes with it. */
    private final char mark;

    Term(char mark) {
        this.mark = mark;
    }

    /** Returns the values of this field in a decision. */
    List<String> values(DecisionEntry entry, String node) {
        return switch (this) {
            case RULE -> List.of(entry.rule());
            case LIMIT -> List.of(entry.limit());
            case NODE -> List.of(node);
            case REQUEST -> List.of(entry.requestId());
            case TRACE -> List.of(entry.traceId());
            case CALLER ->
                Stream.concat(entry.caller().stream(), entry.dimensions().values().stream())
                        .flatMap(Term::callers)
                        .distinct()
                        .toList();
            case RESOURCE -> List.of(entry.resource());
            case OUTCOME -> List.of(entry.outcome().word());
        };
    }

    private static Stream<String> callers(CallerMark mark) {
        return Stream.of(mark.shown(), mark.hash());
    }

    /** Returns a hash of this field with this value. */
    long hash(String value) {
        long hash = (FNV_OFFSET ^ mark) * FNV_PRIME;
        for (byte each : value.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * FNV_PRIME;
        }
        // The low bits of the product depend on few bits of the text.
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }

    /** Returns the hashes of all values of a decision that can be searched. */
    static long[] hashes(DecisionEntry entry, String node) {
        List<Long> hashes = new ArrayList<>();
        for (Term term : values()) {
            for (String value : term.values(entry, node)) {
                if (!value.isEmpty()) {
                    hashes.add(term.hash(value));
                }
            }
        }
        return hashes.stream().mapToLong(Long::longValue).toArray();
    }
}
