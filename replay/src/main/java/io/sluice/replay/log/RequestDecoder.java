package io.sluice.replay.log;

import io.sluice.http.field.QueryFields;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.HostText;
import io.sluice.rules.pattern.PathRefusedException;
import java.util.HashMap;
import java.util.Map;

/** Makes requests from the kept values of lines. Not thread-safe. */
final class RequestDecoder {

    private final Layout layout;
    private final Map<String, String> constants;
    private final QueryFields queries;
    private final boolean hashesCallers;
    private final TextMemory memory;
    private final boolean[] seen;
    private final boolean few;

    /** @param hashesCallers whether the log has hashes instead of addresses */
    RequestDecoder(Layout layout, LogOptions options, boolean hashesCallers, TextMemory memory) {
        this.layout = layout;
        this.constants = options.constants();
        this.queries = QueryFields.of(options.wanted());
        this.seen = new boolean[layout.size()];
        this.hashesCallers = hashesCallers;
        this.memory = memory;
        this.few = 4 + constants.size() + options.wanted().size() <= FewValues.MOST;
    }

    /**
     * Returns the attributes of a request.
     *
     * @param values the position of the first value
     * @throws IllegalArgumentException if a live request with these values would be refused; the message does not contain its values
     */
    Attributes attributes(TimeOrder.Block block, int values) {
        Map<String, String> all = few ? new FewValues() : new HashMap<>(64);
        if (!constants.isEmpty()) {
            all.putAll(constants);
        }
        int at = values;
        for (int slot = Layout.METHOD; slot < layout.size(); slot++) {
            int length = block.length(at);
            at += 2;
            if (length >= 0) {
                seen[slot] = true;
                add(slot, block.data(), at, length, all);
                at += length;
            }
        }
        try {
            return Attributes.taking(all);
        } catch (PathRefusedException e) {
            throw new IllegalArgumentException("path: refused (expected: " + e.expected() + ")", e);
        }
    }

    /** Returns whether any request so far had this attribute. */
    boolean hasSeen(String attribute) {
        int slot = attribute.startsWith("query.") ? Layout.QUERY : layout.slot(attribute);
        return constants.containsKey(attribute) || (slot >= 0 && seen[slot]);
    }

    private void add(int slot, byte[] data, int from, int length, Map<String, String> all) {
        switch (slot) {
            case Layout.METHOD -> all.put("method", memory.text(data, from, length));
            case Layout.TARGET -> all.put("path", memory.text(data, from, length));
            case Layout.QUERY -> queries.addTo(all, memory.text(data, from, length));
            case Layout.HOST -> all.put(HostText.ATTRIBUTE, memory.text(data, from, length));
            case Layout.IP -> all.put("ip", address(memory.text(data, from, length)));
            default -> all.put(layout.attribute(slot), memory.text(data, from, length));
        }
    }

    /** Returns the last address of a list, which the nearest proxy wrote. */
    private String address(String text) {
        // A hash has neither dots nor colons. A recording may also have plain addresses.
        if (hashesCallers && text.indexOf('.') < 0 && text.indexOf(':') < 0) {
            return privateNetwork(text);
        }
        int comma = text.lastIndexOf(',');
        return comma < 0 ? text : text.substring(comma + 1).strip();
    }

    /** Returns an address in a private network of its own for each hash, because rules count addresses by their networks. */
    private static String privateNetwork(String hash) {
        long mixed = 0;
        for (int i = 0; i < hash.length(); i++) {
            mixed = mixed * 0x9e3779b97f4a7c15L + hash.charAt(i);
        }
        return String.format(
                "fd%02x:%x:%x:%x::1",
                (mixed >>> 48) & 0xff, (mixed >>> 32) & 0xffff, (mixed >>> 16) & 0xffff, mixed & 0xffff);
    }
}
