package io.sluice.rules.redis;

import io.lettuce.core.cluster.SlotHash;

/** A short text for each slot of a Cluster. A key with this text as its hash tag belongs to the slot. */
final class SlotTags {

    private static final String[] TAGS = tags();

    private SlotTags() {}

    static String of(int slot) {
        return TAGS[slot];
    }

    private static String[] tags() {
        String[] tags = new String[SlotHash.SLOT_COUNT];
        for (int number = 0, found = 0; found < tags.length; number++) {
            String tag = Integer.toString(number);
            int slot = SlotHash.getSlot(tag);
            if (tags[slot] == null) {
                tags[slot] = tag;
                found++;
            }
        }
        return tags;
    }
}
