package io.sluice.rules.spi;

import io.sluice.rules.RuleSet;

/**
 * Where rules come from: it holds the set in force and says when that changes. A set that has an error is refused whole and
 * the last good one stays in force. Safe for use by many threads.
 */
public interface RuleSource extends AutoCloseable {

    /** The set in force. Quick: every decision asks. */
    RuleSet latest();

    /** Adds a listener for what happens from now on. */
    void listen(RuleListener listener);

    @Override
    void close();

    /** A source of one set that never changes. */
    static RuleSource fixed(RuleSet rules) {
        return new RuleSource() {
            @Override
            public RuleSet latest() {
                return rules;
            }

            @Override
            public void listen(RuleListener listener) {}

            @Override
            public void close() {}
        };
    }
}
