package io.sluice.center.fleet;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A server-sent event for nodes, ready to send. Immutable. */
public final class RuleEvent {

    /** The event before the first release. */
    static final RuleEvent NONE = new RuleEvent("", "event: none\ndata: {}\n\n");

    private static final int ALL = 100;

    private final String id;
    private final byte[] bytes;

    /** A comment that keeps the connection alive. */
    public static final RuleEvent COMFORT = new RuleEvent("", ": ok\n\n");

    private RuleEvent(String id, String text) {
        this.id = id;
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the event with the rules of a node. */
    static RuleEvent of(RuleSet rules) {
        return rules.version() == 0 ? NONE : of(rules, "event: rules\nid: " + id(rules) + "\n");
    }

    /** Returns the event with the rules that some callers try. */
    static RuleEvent trial(RuleSet rules) {
        return of(rules, "event: trial\n");
    }

    /** Returns the event that combines rules, trial and adjustments for a node. */
    static RuleEvent state(FleetRules all, RuleSet rules) {
        JsonLine line = new JsonLine().begin().field("version", rules.version());
        line.field(
                "trial",
                all.trial()
                        .filter(FleetRules.OnTrial::isForCallers)
                        .map(tried -> tried.pointer().toString())
                        .orElse(null));
        String open = line.end().toString();
        String text = open.substring(0, open.length() - 1) + ",\"adjustments\":"
                + all.adjustments().toJson() + "}";
        return new RuleEvent(text, "event: state\ndata: " + text + "\n\n");
    }

    private static RuleEvent of(RuleSet rules, String head) {
        StringBuilder event = new StringBuilder(head).append("data: ");
        RuleSetText.write(rules.releasedTo(ALL), text -> event.append(text.replace("\n", "\ndata: ")));
        return new RuleEvent(id(rules), event.append("\n\n").toString());
    }

    static String id(RuleSet rules) {
        return rules.version() + ":" + rules.digest();
    }

    /**
     * Returns the id that distinguishes the event from other events of its kind: {@code VERSION:DIGEST} for rules, empty if there are none.
     */
    String id() {
        return id;
    }

    /** Returns the length of the whole event. */
    public int length() {
        return bytes.length;
    }

    /** Writes a part of the event. */
    public void write(OutputStream to, int from, int length) throws IOException {
        to.write(bytes, from, length);
    }
}
