package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LARGEST_VERSION;
import static io.sluice.runtime.fleet.ReportText.LATEST_MILLIS;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.caller.CallerText;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.ErasureText;
import io.sluice.runtime.recording.ExcerptQuestion;
import io.sluice.runtime.witness.CheckpointOffer;
import io.sluice.runtime.witness.WitnessText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The message from a center to each member about all members.
 *
 * @param nodes the number of live members, 0..1,000,000
 * @param version the released version of the rules; 0 if none was released
 * @param digest the digest of the released rules; empty if none were released
 * @param atMillis the time at which the center counted, in milliseconds since 1970
 * @param audit the newest checkpoint of the audit log; empty if there is none
 * @param erasures the erasures that this member is to make
 * @param stored the number of the last batch of data from this member that the center has stored; empty if it does not confirm batches
 * @param questions questions about callers that this member may know, and about requests
 * @param excerpts questions for requests that this member has recorded
 */
public record Fleet(
        int nodes,
        long version,
        String digest,
        long atMillis,
        Optional<CheckpointOffer> audit,
        List<ErasureOrder> erasures,
        OptionalLong stored,
        List<CallerQuestion> questions,
        List<ExcerptQuestion> excerpts) {

    /** The maximum number of characters in the text of a fleet. */
    public static final int MOST_CHARACTERS = 500_000;

    private static final int MOST_NODES = 1_000_000;

    public Fleet {
        if (nodes < 0 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("nodes: " + nodes + " (expected: 0.." + MOST_NODES + ")");
        }
        ReportText.checkVersion(version);
        ReportText.checkDigest(digest);
        ReportText.checkMillis("at", atMillis);
        erasures = List.copyOf(erasures);
        questions = List.copyOf(questions);
        excerpts = List.copyOf(excerpts);
    }

    /** Creates a fleet that asks for no recorded requests. */
    public Fleet(
            int nodes,
            long version,
            String digest,
            long atMillis,
            Optional<CheckpointOffer> audit,
            List<ErasureOrder> erasures,
            OptionalLong stored,
            List<CallerQuestion> questions) {
        this(nodes, version, digest, atMillis, audit, erasures, stored, questions, List.of());
    }

    /** Creates a fleet without a checkpoint and orders. */
    public Fleet(int nodes, long version, String digest, long atMillis) {
        this(nodes, version, digest, atMillis, Optional.empty(), List.of(), OptionalLong.empty(), List.of());
    }

    /** Returns a copy with a checkpoint and orders. */
    public Fleet with(Optional<CheckpointOffer> offer, List<ErasureOrder> orders) {
        return new Fleet(nodes, version, digest, atMillis, offer, orders, stored, questions, excerpts);
    }

    /** Returns a copy with the number of the last stored batch, and questions. */
    public Fleet with(OptionalLong storedNow, List<CallerQuestion> asked) {
        return new Fleet(nodes, version, digest, atMillis, audit, erasures, storedNow, asked, excerpts);
    }

    /** Returns a copy with questions for recorded requests. */
    public Fleet withExcerpts(List<ExcerptQuestion> asked) {
        return new Fleet(nodes, version, digest, atMillis, audit, erasures, stored, questions, asked);
    }

    /**
     * Reads what {@link #toJson} writes. Unknown fields are ignored.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static Fleet parse(String json) {
        JsonObject fields = JsonObject.parse(json, MOST_CHARACTERS);
        return new Fleet(
                (int) fields.whole("nodes", 0, MOST_NODES),
                fields.whole("version", 0, LARGEST_VERSION),
                fields.text("digest"),
                fields.whole("at", 0, LATEST_MILLIS),
                fields.object("audit").map(WitnessText::offer),
                fields.has("erasures") ? ErasureText.orders(fields, "erasures") : List.of(),
                fields.has("stored")
                        ? OptionalLong.of(fields.whole("stored", 0, Long.MAX_VALUE))
                        : OptionalLong.empty(),
                questions(fields),
                fields.has("excerpts") ? ExcerptQuestion.read(fields, "excerpts") : List.of());
    }

    private static List<CallerQuestion> questions(JsonObject fields) {
        List<CallerQuestion> all = new ArrayList<>();
        if (fields.has("questions")) {
            all.addAll(CallerText.questions(fields, "questions"));
        }
        if (fields.has("requests")) {
            all.addAll(CallerText.requests(fields, "requests"));
        }
        return all;
    }

    /** Returns the fleet as JSON on one line. */
    public String toJson() {
        JsonLine line = new JsonLine()
                .begin()
                .field("nodes", nodes)
                .field("version", version)
                .field("digest", digest)
                .field("at", atMillis);
        audit.ifPresent(offer -> {
            WitnessText.write(line.begin("audit"), offer);
            line.end();
        });
        if (!erasures.isEmpty()) {
            ErasureText.writeOrders(line, "erasures", erasures);
        }
        stored.ifPresent(number -> line.field("stored", number));
        CallerText.writeQuestions(line, "questions", questions);
        CallerText.writeRequests(line, "requests", questions);
        ExcerptQuestion.write(line, "excerpts", excerpts);
        return line.end().toString();
    }
}
