package io.sluice.center.decisions;

import io.sluice.runtime.data.DecisionEntry;
import java.nio.charset.StandardCharsets;

/**
 * A decision in the ring.
 *
 * @param node the node that made the decision
 * @param json the entry in UTF-8; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // written once, read often
record StoredDecision(DecisionKey key, String node, byte[] json) {

    static StoredDecision of(DecisionKey key, String node, DecisionEntry entry) {
        return new StoredDecision(key, node, entry.toJson().getBytes(StandardCharsets.UTF_8));
    }

    String text() {
        return new String(json, StandardCharsets.UTF_8);
    }

    DecisionEntry entry() {
        return DecisionEntry.parse(text());
    }
}
