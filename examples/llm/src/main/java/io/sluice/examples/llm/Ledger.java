package io.sluice.examples.llm;

import java.util.Map;
import java.util.TreeMap;

/** What a model really did, by tenant: the truth that the limits must agree with. Thread-safe. */
final class Ledger {

    /**
     * What was done for a tenant.
     *
     * @param tokens the tokens of complete answers
     * @param aborted streams whose callers left
     * @param lost tokens that were written into such streams
     */
    record Entry(int complete, long tokens, int aborted, long lost) {
        static final Entry NONE = new Entry(0, 0, 0, 0);
    }

    private final Map<String, Entry> entries = new TreeMap<>();

    synchronized void completed(String tenant, long tokens) {
        Entry entry = of(tenant);
        entries.put(tenant, new Entry(entry.complete + 1, entry.tokens + tokens, entry.aborted, entry.lost));
    }

    synchronized void aborted(String tenant, long tokens) {
        Entry entry = of(tenant);
        entries.put(tenant, new Entry(entry.complete, entry.tokens, entry.aborted + 1, entry.lost + tokens));
    }

    synchronized Entry of(String tenant) {
        return entries.getOrDefault(tenant, Entry.NONE);
    }
}
