package io.sluice.center.series;

/**
 * The owner of some figures: a rule, a node or the fleet. Tracks are divided into parts by a hash of their names, so that reading
 * one of them reads few others.
 *
 * @param part the part that contains its track
 * @param name the id of the rule or node; empty for the fleet
 */
record SeriesKey(int part, String name) {

    private static final int SPREAD = 32;

    /** The part of the fleet. */
    static final int FLEET_PART = 0;

    static final int FIRST_RULES = 1;
    static final int FIRST_NODES = FIRST_RULES + SPREAD;

    /** The number of all parts. */
    static final int PARTS = FIRST_NODES + SPREAD;

    static final SeriesKey FLEET = new SeriesKey(FLEET_PART, "");

    static SeriesKey rule(String id) {
        return new SeriesKey(FIRST_RULES + spread(id), id);
    }

    static SeriesKey node(String id) {
        return new SeriesKey(FIRST_NODES + spread(id), id);
    }

    static boolean isOfRules(int part) {
        return part >= FIRST_RULES && part < FIRST_NODES;
    }

    boolean isRule() {
        return isOfRules(part);
    }

    /** The result is written to files, so it must not change. */
    private static int spread(String id) {
        int hash = id.hashCode() * 0x9E3779B1;
        return hash >>> 27;
    }
}
