package io.sluice.center.callers;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bounds how many callers one person reveals, and records each of them in the audit log. Thread-safe. */
final class Reveals {

    /** The maximum number of callers that a person reveals in a minute. */
    static final int MOST_A_MINUTE = 30;

    private final CallersParts center;
    private final AskedPerMinute asked;

    Reveals(CallersParts center) {
        this.center = center;
        this.asked = new AskedPerMinute(MOST_A_MINUTE, center.clock());
    }

    /** Returns whether a person may ask another question now. Each question counts, whether or not a node knows the caller. */
    boolean admits(Actor actor) {
        return asked.admits(actor);
    }

    /** Records in the audit log which person is about to learn the identity of which caller. The values are not part of the entry. */
    void log(Actor actor, String reason, String masked, RevealReply reveal) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("hash", reveal.hash());
        details.put("caller", masked);
        details.put("attributes", reveal.attributes().keySet().stream().sorted().toList());
        details.put("hidden", reveal.hidden());
        long unused = center.database()
                .write(client -> center.log().add(client, actor, new Command.Act("reveal", reason, details)));
    }
}
