package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LARGEST_VERSION;
import static io.sluice.runtime.fleet.ReportText.LATEST_MILLIS;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerText;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.data.DataText;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.erasure.ErasureText;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.runtime.witness.WitnessText;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What a process says about itself, every second: that it lives, and which rules its decisions follow. Texts are cut to 1,000
 * characters and lists to 20 items.
 *
 * @param node the id of the process, which stays the same after a restart
 * @param name what people call it: host and port, or the name of the application
 * @param program the version of Sluice
 * @param startedMillis when the process started, in milliseconds since 1970
 * @param version the version of the rules in force; 0 if there are none yet
 * @param digest of the rules in force; empty if there are none yet
 * @param appliedMillis since when these rules are in force, in milliseconds since 1970; 0 if there are none yet
 * @param refused the newer rules that the process refused; empty if it refused none
 * @param mode how it decides now
 * @param breaker the state of the breaker in front of its store
 * @param findings problems that do not stop decisions, as sentences
 * @param beat rises with each report of the same start
 * @param follows whether it takes rules that a center releases; not if its rules come from a file
 * @param adjustments the revision of the adjustments in force; 0 if there are none
 * @param tally what it counted since it started
 * @param trial what it counted since callers try a version; empty if they try none
 * @param witness what it holds of the audit log; empty if it holds nothing
 * @param erased what came of the center's orders to erase
 * @param data about its traffic; empty if it sends none
 * @param answers to the center's questions about callers
 * @param health of its limiter; empty if it does not tell
 * @param explains whether it answers the center's questions about requests
 * @param records whether it records requests, and answers the center's questions for them
 */
public record NodeReport(
        String node,
        Kind kind,
        String name,
        String program,
        long startedMillis,
        long version,
        String digest,
        long appliedMillis,
        Optional<Refusal> refused,
        Mode mode,
        Breaker breaker,
        List<String> findings,
        long beat,
        boolean follows,
        long adjustments,
        Tally tally,
        Optional<TrialReport> trial,
        Optional<WitnessReport> witness,
        List<ErasureResult> erased,
        Optional<DataReport> data,
        List<CallerAnswer> answers,
        Optional<LimiterHealth> health,
        boolean explains,
        boolean records) {

    /** The maximum number of characters in the text of a report. */
    public static final int MOST_CHARACTERS = 1_000_000;

    private static final int MOST_ERRORS = 5;
    private static final int MOST_FINDINGS = 20;
    private static final Pattern ID = Pattern.compile("(?!\\.+$)[0-9a-zA-Z._:-]{1,128}");

    public NodeReport {
        if (!isId(node)) {
            throw new IllegalArgumentException("node: " + PrintableText.text(node)
                    + " (expected: letters, digits, - _ . and :, at most 128 characters)");
        }
        name = ReportText.cut(name);
        program = ReportText.cut(program);
        findings = ReportText.cut(findings, MOST_FINDINGS);
        ReportText.checkMillis("started", startedMillis);
        ReportText.checkVersion(version);
        ReportText.checkDigest(digest);
        ReportText.checkMillis("applied", appliedMillis);
        if (beat < 0) {
            throw new IllegalArgumentException("beat: " + beat + " (expected: 0 or more)");
        }
        if (adjustments < 0) {
            throw new IllegalArgumentException("adjustments: " + adjustments + " (expected: 0 or more)");
        }
        erased = List.copyOf(erased);
        answers = List.copyOf(answers);
    }

    /** Creates the report of a process that takes released rules and has counted nothing. */
    public NodeReport(
            String node,
            Kind kind,
            String name,
            String program,
            long startedMillis,
            long version,
            String digest,
            long appliedMillis,
            Optional<Refusal> refused,
            Mode mode,
            Breaker breaker,
            List<String> findings,
            long beat) {
        this(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                true);
    }

    /** Creates the report of a process that has counted nothing. */
    public NodeReport(
            String node,
            Kind kind,
            String name,
            String program,
            long startedMillis,
            long version,
            String digest,
            long appliedMillis,
            Optional<Refusal> refused,
            Mode mode,
            Breaker breaker,
            List<String> findings,
            long beat,
            boolean follows) {
        this(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                follows,
                0,
                Tally.NONE,
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    /** Creates the report of a process that sends no data and answers no question. */
    public NodeReport(
            String node,
            Kind kind,
            String name,
            String program,
            long startedMillis,
            long version,
            String digest,
            long appliedMillis,
            Optional<Refusal> refused,
            Mode mode,
            Breaker breaker,
            List<String> findings,
            long beat,
            boolean follows,
            long adjustments,
            Tally tally,
            Optional<TrialReport> trial,
            Optional<WitnessReport> witness,
            List<ErasureResult> erased) {
        this(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                follows,
                adjustments,
                tally,
                trial,
                witness,
                erased,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    /** Creates the report of a process that answers no questions about requests. */
    public NodeReport(
            String node,
            Kind kind,
            String name,
            String program,
            long startedMillis,
            long version,
            String digest,
            long appliedMillis,
            Optional<Refusal> refused,
            Mode mode,
            Breaker breaker,
            List<String> findings,
            long beat,
            boolean follows,
            long adjustments,
            Tally tally,
            Optional<TrialReport> trial,
            Optional<WitnessReport> witness,
            List<ErasureResult> erased,
            Optional<DataReport> data,
            List<CallerAnswer> answers,
            Optional<LimiterHealth> health) {
        this(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                follows,
                adjustments,
                tally,
                trial,
                witness,
                erased,
                data,
                answers,
                health,
                false);
    }

    /** Creates the report of a process that records nothing. */
    public NodeReport(
            String node,
            Kind kind,
            String name,
            String program,
            long startedMillis,
            long version,
            String digest,
            long appliedMillis,
            Optional<Refusal> refused,
            Mode mode,
            Breaker breaker,
            List<String> findings,
            long beat,
            boolean follows,
            long adjustments,
            Tally tally,
            Optional<TrialReport> trial,
            Optional<WitnessReport> witness,
            List<ErasureResult> erased,
            Optional<DataReport> data,
            List<CallerAnswer> answers,
            Optional<LimiterHealth> health,
            boolean explains) {
        this(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                follows,
                adjustments,
                tally,
                trial,
                witness,
                erased,
                data,
                answers,
                health,
                explains,
                false);
    }

    /** Returns the same with what the process holds of the audit log. */
    public NodeReport with(Optional<WitnessReport> held) {
        return with(held, erased, data, answers, health, explains, records);
    }

    /** Returns the same with what came of the center's orders. */
    public NodeReport with(List<ErasureResult> results) {
        return with(witness, results, data, answers, health, explains, records);
    }

    /** Returns the same with data about the traffic. */
    public NodeReport withData(DataReport report) {
        return with(witness, erased, Optional.of(report), answers, health, explains, records);
    }

    /** Returns the same without data and answers, which are taken once and not kept. */
    public NodeReport state() {
        return with(witness, erased, Optional.empty(), List.of(), health, explains, records);
    }

    /** Returns the same with answers to the center's questions. */
    public NodeReport withAnswers(List<CallerAnswer> given) {
        return with(witness, erased, data, given, health, explains, records);
    }

    /** Returns the same with the health of the limiter. */
    public NodeReport withHealth(LimiterHealth measured) {
        return with(witness, erased, data, answers, Optional.of(measured), explains, records);
    }

    /** Returns the same with the announcement that the process answers questions about requests. Older nodes do not say so. */
    public NodeReport explaining() {
        return with(witness, erased, data, answers, health, true, records);
    }

    /** Returns the same with the announcement that the process records requests. Older nodes do not say so. */
    public NodeReport recording() {
        return with(witness, erased, data, answers, health, explains, true);
    }

    private NodeReport with(
            Optional<WitnessReport> held,
            List<ErasureResult> results,
            Optional<DataReport> traffic,
            List<CallerAnswer> given,
            Optional<LimiterHealth> measured,
            boolean canExplain,
            boolean hasRequests) {
        return new NodeReport(
                node,
                kind,
                name,
                program,
                startedMillis,
                version,
                digest,
                appliedMillis,
                refused,
                mode,
                breaker,
                findings,
                beat,
                follows,
                adjustments,
                tally,
                trial,
                held,
                results,
                traffic,
                given,
                measured,
                canExplain,
                hasRequests);
    }

    /** Returns whether a text can be the id of a process. It is a part of keys and URLs. */
    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** What the process is. */
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

    /** How the process decides: with the shared store, or by itself, or by allowing or refusing everything. */
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
    }

    /**
     * Reads what {@link #toJson} writes. Unknown fields are ignored.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    public static NodeReport parse(String json) {
        JsonObject fields = JsonObject.parse(json, MOST_CHARACTERS);
        return new NodeReport(
                fields.text("node"),
                constant(Kind.values(), Kind::word, "kind", fields),
                fields.text("name"),
                fields.text("program"),
                fields.whole("started", 0, LATEST_MILLIS),
                fields.whole("version", 0, LARGEST_VERSION),
                fields.text("digest"),
                fields.whole("applied", 0, LATEST_MILLIS),
                fields.object("refused").map(NodeReport::refusal),
                constant(Mode.values(), Mode::word, "mode", fields),
                constant(Breaker.values(), Breaker::word, "breaker", fields),
                fields.texts("findings"),
                fields.whole("beat", 0, Long.MAX_VALUE),
                fields.flag("follows", true),
                fields.has("adjustments") ? fields.whole("adjustments", 0, Long.MAX_VALUE) : 0,
                fields.has("tally") ? Tally.of(fields.wholes("tally")) : Tally.NONE,
                fields.object("trial").map(NodeReport::trial),
                fields.object("audit").map(WitnessText::report),
                fields.has("erased") ? ErasureText.results(fields, "erased") : List.of(),
                fields.object("data").map(DataText::report),
                fields.has("answers") ? CallerText.answers(fields, "answers") : List.of(),
                health(fields),
                fields.flag("explains", false),
                fields.flag("records", false));
    }

    /** Health is extra. A newer node may tell it in words that this center does not know, and is no less alive. */
    private static Optional<LimiterHealth> health(JsonObject fields) {
        try {
            return fields.object("health").map(LimiterHealth::read);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static TrialReport trial(JsonObject fields) {
        return new TrialReport(
                fields.whole("version", 0, LARGEST_VERSION),
                fields.text("digest"),
                fields.has("share") ? (int) fields.whole("share", 0, 99) : -1,
                fields.flag("watched", false),
                tallies(fields, "trial"),
                tallies(fields, "control"));
    }

    private static List<Tally> tallies(JsonObject fields, String name) {
        return fields.rowsOfWholes(name).stream().map(Tally::of).toList();
    }

    private static List<List<Long>> rows(List<Tally> tallies) {
        return tallies.stream().map(Tally::numbers).toList();
    }

    private static Refusal refusal(JsonObject fields) {
        return new Refusal(fields.whole("version", 0, LARGEST_VERSION), fields.text("digest"), fields.texts("errors"));
    }

    /** Returns the report as JSON on one line. */
    public String toJson() {
        JsonLine line = new JsonLine()
                .begin()
                .field("node", node)
                .field("kind", kind.word())
                .field("name", name)
                .field("program", program)
                .field("started", startedMillis)
                .field("version", version)
                .field("digest", digest)
                .field("applied", appliedMillis);
        if (refused.isPresent()) {
            Refusal refusal = refused.get();
            line.begin("refused")
                    .field("version", refusal.version())
                    .field("digest", refusal.digest())
                    .field("errors", refusal.errors())
                    .end();
        } else {
            line.field("refused", (Object) null);
        }
        line.field("mode", mode.word())
                .field("breaker", breaker.word())
                .field("findings", findings)
                .field("beat", beat)
                .field("follows", follows)
                .field("adjustments", adjustments)
                .field("tally", tally.numbers());
        if (trial.isPresent()) {
            TrialReport report = trial.get();
            line.begin("trial").field("version", report.version()).field("digest", report.digest());
            if (report.share() >= 0) {
                line.field("share", (long) report.share());
            }
            line.field("watched", report.watched())
                    .field("trial", rows(report.trial()))
                    .field("control", rows(report.control()))
                    .end();
        } else {
            line.nothing("trial");
        }
        witness.ifPresent(held -> {
            WitnessText.write(line.begin("audit"), held);
            line.end();
        });
        if (!erased.isEmpty()) {
            ErasureText.writeResults(line, "erased", erased);
        }
        data.ifPresent(report -> {
            DataText.write(line.begin("data"), report);
            line.end();
        });
        if (!answers.isEmpty()) {
            CallerText.writeAnswers(line, "answers", answers);
        }
        health.ifPresent(measured -> {
            measured.write(line.begin("health"));
            line.end();
        });
        if (explains) {
            line.field("explains", true);
        }
        if (records) {
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
