package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LARGEST_VERSION;
import static io.sluice.runtime.fleet.ReportText.LATEST_MILLIS;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.runtime.caller.CallerText;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.data.DataText;
import io.sluice.runtime.erasure.ErasureText;
import io.sluice.runtime.witness.WitnessText;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The report that a process sends every second: that it lives, and which rules its decisions follow. Each part is about one concern, and
 * a new concern is a new part. Texts are cut to 1,000 characters and lists to 20 items. Immutable.
 *
 * <p>The fields of all parts are side by side in the text. Their order stays as it is, and new fields follow at the end.
 *
 * @param beat increases with each report of the same start
 */
public record NodeReport(
        NodeIdentity identity, long beat, RulesInForce rules, NodeHealth health, NodeAnswers answers, NodeData data) {

    /** The maximum number of characters in the text of a report. */
    public static final int MOST_CHARACTERS = 1_000_000;

    private static final int MOST_ERRORS = 5;

    public NodeReport {
        if (beat < 0) {
            throw new IllegalArgumentException("beat: " + beat + " (expected: 0 or more)");
        }
    }

    /** Creates the report of a process that answers nothing and has counted nothing. */
    public NodeReport(NodeIdentity identity, long beat, RulesInForce rules, NodeHealth health) {
        this(identity, beat, rules, health, NodeAnswers.NONE, NodeData.NONE);
    }

    /** Returns the id of the process. */
    public String node() {
        return identity.node();
    }

    /** Returns a copy with other answers. */
    public NodeReport answering(UnaryOperator<NodeAnswers> change) {
        return new NodeReport(identity, beat, rules, health, change.apply(answers), data);
    }

    /** Returns a copy with data about the traffic. */
    public NodeReport with(DataReport report) {
        return with(Optional.of(report));
    }

    /** Returns a copy without the data and the answers about callers, which are taken once and not kept. */
    public NodeReport state() {
        return with(Optional.empty()).answering(all -> all.withCallers(List.of()));
    }

    private NodeReport with(Optional<DataReport> traffic) {
        return new NodeReport(identity, beat, rules, health, answers, data.with(traffic));
    }

    /** The kinds of process. */
    public enum Kind {
        NODE("node"),
        APPLICATION("application");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the name in reports and in the API. */
        public String word() {
            return word;
        }
    }

    /** The ways to decide: with the shared store, in the process, or by allowing or refusing everything. */
    public enum Mode {
        REMOTE("remote"),
        LOCAL("local"),
        OPEN("open"),
        CLOSED("closed");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        /** Returns the name in reports and in the API. */
        public String word() {
            return word;
        }
    }

    /** The state of the breaker in front of the shared store. */
    public enum Breaker {
        CLOSED("closed"),
        OPEN("open"),
        HALF_OPEN("half_open"),
        /** There is no shared store. */
        NONE("none");

        private final String word;

        Breaker(String word) {
            this.word = word;
        }

        /** Returns the name in reports and in the API. */
        public String word() {
            return word;
        }
    }

    /**
     * Rules that the process refused.
     *
     * @param version their version; 0 if it is unknown
     * @param digest their digest; empty if it is unknown
     * @param errors the first five errors
     */
    public record Refusal(long version, String digest, List<String> errors) {

        public Refusal {
            ReportText.checkVersion(version);
            ReportText.checkDigest(digest);
            errors = ReportText.cut(errors, MOST_ERRORS);
        }

        private static Refusal read(JsonObject fields) {
            return new Refusal(
                    fields.whole("version", 0, LARGEST_VERSION), fields.text("digest"), fields.texts("errors"));
        }

        private void write(JsonLine line) {
            line.field("version", version).field("digest", digest).field("errors", errors);
        }
    }

    /**
     * Reads what {@link #toJson} writes. Unknown fields are ignored.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static NodeReport parse(String json) {
        JsonObject fields = JsonObject.parse(json, MOST_CHARACTERS);
        return new NodeReport(
                new NodeIdentity(
                        fields.text("node"),
                        constant(Kind.values(), Kind::word, "kind", fields),
                        fields.text("name"),
                        fields.text("program"),
                        fields.whole("started", 0, LATEST_MILLIS)),
                fields.whole("beat", 0, Long.MAX_VALUE),
                new RulesInForce(
                        fields.whole("version", 0, LARGEST_VERSION),
                        fields.text("digest"),
                        fields.whole("applied", 0, LATEST_MILLIS),
                        fields.object("refused").map(Refusal::read),
                        fields.flag("follows", true),
                        fields.has("adjustments") ? fields.whole("adjustments", 0, Long.MAX_VALUE) : 0),
                new NodeHealth(
                        constant(Mode.values(), Mode::word, "mode", fields),
                        constant(Breaker.values(), Breaker::word, "breaker", fields),
                        fields.texts("findings"),
                        limiter(fields)),
                new NodeAnswers(
                        fields.object("audit").map(WitnessText::report),
                        fields.has("erased") ? ErasureText.results(fields, "erased") : List.of(),
                        fields.has("answers") ? CallerText.answers(fields, "answers") : List.of(),
                        fields.flag("explains", false),
                        fields.flag("records", false)),
                new NodeData(
                        fields.has("tally") ? Tally.of(fields.wholes("tally")) : Tally.NONE,
                        fields.object("trial").map(TrialReport::read),
                        fields.object("data").map(DataText::report)));
    }

    /** Reads the health. A newer node may describe it in words that this center does not know; such a node still counts as live. */
    private static Optional<LimiterHealth> limiter(JsonObject fields) {
        try {
            return fields.object("health").map(LimiterHealth::read);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the report as JSON on one line. */
    public String toJson() {
        JsonLine line = new JsonLine()
                .begin()
                .field("node", identity.node())
                .field("kind", identity.kind().word())
                .field("name", identity.name())
                .field("program", identity.program())
                .field("started", identity.startedMillis())
                .field("version", rules.version())
                .field("digest", rules.digest())
                .field("applied", rules.appliedMillis());
        rules.refused()
                .ifPresentOrElse(
                        refusal -> {
                            refusal.write(line.begin("refused"));
                            line.end();
                        },
                        () -> line.nothing("refused"));
        line.field("mode", health.mode().word())
                .field("breaker", health.breaker().word())
                .field("findings", health.findings())
                .field("beat", beat)
                .field("follows", rules.follows())
                .field("adjustments", rules.adjustments())
                .field("tally", data.tally().numbers());
        data.trial()
                .ifPresentOrElse(
                        trial -> {
                            trial.write(line.begin("trial"));
                            line.end();
                        },
                        () -> line.nothing("trial"));
        answers.witness().ifPresent(held -> {
            WitnessText.write(line.begin("audit"), held);
            line.end();
        });
        if (!answers.erased().isEmpty()) {
            ErasureText.writeResults(line, "erased", answers.erased());
        }
        data.traffic().ifPresent(report -> {
            DataText.write(line.begin("data"), report);
            line.end();
        });
        if (!answers.callers().isEmpty()) {
            CallerText.writeAnswers(line, "answers", answers.callers());
        }
        health.limiter().ifPresent(measured -> {
            measured.write(line.begin("health"));
            line.end();
        });
        if (answers.explains()) {
            line.field("explains", true);
        }
        if (answers.records()) {
            line.field("records", true);
        }
        return line.end().toString();
    }

    private static <E> E constant(E[] all, Function<E, String> word, String name, JsonObject fields) {
        String text = fields.text(name);
        for (E constant : all) {
            if (word.apply(constant).equals(text)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(
                name + ": " + PrintableText.text(text) + " (expected: a known " + name + ")");
    }
}
