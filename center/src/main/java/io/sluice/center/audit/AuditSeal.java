package io.sluice.center.audit;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Signs with the key of the log that rows were pruned or lost their content. The key is not in the database, so access to the
 * database alone is not enough to hide rows. Thread-safe.
 */
@FunctionalInterface
public interface AuditSeal {

    /** The field in the body of a row that contains the id of the key. */
    String KEY = "key";

    /** The field in the body of a row that contains the signature. */
    String SIGNATURE = "signature";

    /**
     * A signature and the id of its key. Immutable.
     *
     * @param signature the signature in Base64
     */
    record Stamp(String key, String signature) {

        /** Returns the fields to add to the body of the row. */
        public Map<String, String> fields() {
            return Map.of(KEY, key, SIGNATURE, signature);
        }
    }

    /** Signs a text with the newest key of the log; empty if this center does not have the key. */
    Optional<Stamp> sign(JdbcClient client, String text);

    /** Returns the reason why this center cannot sign, as a sentence. */
    default Optional<String> problem() {
        return Optional.empty();
    }

    /** Returns the text to sign when rows are pruned. */
    static String pruned(String log, AuditSegment segment) {
        return "sluice-audit-prune-1\n" + log + "\n" + segment.first() + "\n" + segment.last() + "\n" + segment.root()
                + "\n";
    }

    /** Returns the text to sign when rows lose their content. */
    static String erased(String log, long erasure, Collection<Long> rows) {
        String numbers = new TreeSet<>(rows).stream().map(String::valueOf).collect(Collectors.joining(","));
        return "sluice-audit-erase-1\n" + log + "\n" + erasure + "\n" + numbers + "\n";
    }
}
