package io.sluice.runtime.witness;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;

/** Offers and reports as JSON. Reading throws {@link IllegalArgumentException} if the text is anything else. */
public final class WitnessText {

    private WitnessText() {}

    /** Writes an offer as fields of the current object. */
    public static void write(JsonLine line, CheckpointOffer offer) {
        write(line.begin("checkpoint"), offer.checkpoint());
        line.end()
                .field("key", offer.key().text())
                .list("changes", offer.changes(), change -> line.field("log", change.log())
                        .field("before", change.before())
                        .field("next", change.next().text())
                        .field("signature", change.signature()))
                .list("proofs", offer.proofs(), proof -> line.field("from", proof.from())
                        .field("hashes", proof.hashes()));
    }

    public static CheckpointOffer offer(JsonObject fields) {
        return new CheckpointOffer(
                checkpoint(fields.object("checkpoint").orElseThrow(() -> missing("checkpoint"))),
                new LogKey(fields.text("key")),
                fields.objects("changes").stream()
                        .map(change -> new KeyChange(
                                change.text("log"),
                                change.text("before"),
                                new LogKey(change.text("next")),
                                change.text("signature")))
                        .toList(),
                fields.objects("proofs").stream()
                        .map(proof ->
                                new ConsistencyProof(proof.whole("from", 0, Long.MAX_VALUE), proof.texts("hashes")))
                        .toList());
    }

    /** Writes a checkpoint as fields of the current object. */
    public static void write(JsonLine line, Checkpoint checkpoint) {
        line.field("log", checkpoint.log())
                .field("size", checkpoint.size())
                .field("root", checkpoint.root())
                .field("at", checkpoint.atMillis())
                .field("key", checkpoint.key())
                .field("signature", checkpoint.signature());
    }

    public static Checkpoint checkpoint(JsonObject fields) {
        return new Checkpoint(
                fields.text("log"),
                fields.whole("size", 0, Long.MAX_VALUE),
                fields.text("root"),
                fields.whole("at", 0, Long.MAX_VALUE),
                fields.text("key"),
                fields.text("signature"));
    }

    /** Writes a report as fields of the current object. */
    public static void write(JsonLine line, WitnessReport report) {
        line.field("log", report.log())
                .field("size", report.size())
                .field("root", report.root())
                .field("at", report.atMillis())
                .field("key", report.key())
                .field("refused", report.refused().orElse(null));
    }

    public static WitnessReport report(JsonObject fields) {
        return new WitnessReport(
                fields.text("log"),
                fields.whole("size", 0, Long.MAX_VALUE),
                fields.text("root"),
                fields.whole("at", 0, Long.MAX_VALUE),
                fields.text("key"),
                fields.optionalText("refused"));
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException(name + ": missing (expected: an object)");
    }
}
