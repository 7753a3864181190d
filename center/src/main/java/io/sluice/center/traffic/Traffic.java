package io.sluice.center.traffic;

import io.sluice.center.callers.Questions;
import io.sluice.center.callers.RefusedCallers;
import io.sluice.center.data.DataIntake;
import io.sluice.center.database.Database;
import io.sluice.center.decisions.DecisionRing;
import io.sluice.center.dryrun.ExcerptQuestions;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.series.Series;
import io.sluice.center.stream.LiveData;
import io.sluice.center.stream.Stream;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What the center knows about the traffic of its nodes. Its data is in the folder {@code traffic}. Thread-safe. */
public final class Traffic implements AutoCloseable {

    private final LiveNodes nodes;
    private final Series series;
    private final RefusedCallers callers;
    private final Questions questions;
    private final ExcerptQuestions excerpts;
    private final DecisionRing decisions;
    private final DataIntake intake;
    private final Stream stream;
    private final LiveData live;
    private volatile Supplier<List<RuleSet>> rules = List::of;

    private Traffic(Database database, LiveNodes nodes, Clock clock, Path folder) throws IOException {
        this.nodes = nodes;
        this.series = Series.open(clock, database, folder.resolve("series"));
        this.callers = RefusedCallers.open(clock, folder.resolve("callers"));
        this.questions = new Questions(nodes, clock);
        this.excerpts = new ExcerptQuestions(nodes, clock);
        this.decisions = DecisionRing.open(clock, folder.resolve("decisions"));
        this.stream = new Stream(clock);
        this.live = new LiveData(stream, nodes, clock);
        this.intake = DataIntake.open(clock, List.of(series, callers, decisions), folder.resolve("journal"));
        stream.seeBy(this::rules);
        intake.listen(live::take);
    }

    /**
     * Opens it.
     *
     * @param data the data directory of the center
     * @throws IOException with one line for the user
     */
    public static Traffic open(Database database, LiveNodes nodes, Clock clock, Path data) throws IOException {
        Path folder = data.resolve("traffic");
        Files.createDirectories(folder);
        // It tells what people asked for, though not who they are.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return new Traffic(database, nodes, clock, folder);
    }

    /** Takes the data of a report over HTTP. Returns what to tell the node. */
    public Fleet heard(NodeReport report, Fleet fleet) {
        return fleet.with(intake.take(report), questions.heard(report)).withExcerpts(excerpts.heard(report));
    }

    /** Takes the data of a report through Redis, which everybody who can write there can make. */
    public void heardInRedis(NodeReport report) {
        var unused = intake.take(countsOf(report));
    }

    /** Only counts, because whoever can write to Redis must not tell the center who was refused. */
    private static NodeReport countsOf(NodeReport report) {
        return report.data()
                .map(data -> report.withData(new DataReport(
                        data.sentMillis(),
                        data.batches().stream()
                                .filter(batch -> batch.kind() == Kind.COUNTS)
                                .toList(),
                        data.dropped())))
                .orElse(report);
    }

    /** Does what is due. To be called about once a second. */
    public void turn() {
        intake.turn();
        questions.turn();
        excerpts.turn();
        live.turn();
    }

    /** Returns what keeps data from being stored, as sentences. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        intake.problem().ifPresent(problems::add);
        series.problem().ifPresent(problems::add);
        callers.problem().ifPresent(problems::add);
        decisions.problem().ifPresent(problems::add);
        return problems;
    }

    public DataIntake intake() {
        return intake;
    }

    /** Sets the rules that decide who sees what: those in force and those on trial. */
    public void seeBy(Supplier<List<RuleSet>> sets) {
        rules = sets;
    }

    /** Returns the rules that decide who sees what. */
    public List<RuleSet> rules() {
        return rules.get();
    }

    /** Returns how much traffic there was. */
    public Series series() {
        return series;
    }

    /** Returns who was refused. */
    public RefusedCallers callers() {
        return callers;
    }

    /** Returns how many refusals nodes could not report: there was no room for them, or the node was killed before it did. */
    public long unreportedRefusals() {
        Set<String> live =
                nodes.live().stream().map(node -> node.report().node()).collect(Collectors.toSet());
        return intake.dropped(node -> !live.contains(node)).getOrDefault(Kind.CALLERS, 0L);
    }

    /** Returns the questions to nodes about callers. */
    public Questions questions() {
        return questions;
    }

    /** Returns the questions to nodes for recorded requests. */
    public ExcerptQuestions excerpts() {
        return excerpts;
    }

    /** Returns the decisions of the last 24 hours. */
    public DecisionRing decisions() {
        return decisions;
    }

    /** Returns what tells listeners. */
    public Stream stream() {
        return stream;
    }

    @Override
    public void close() throws IOException {
        intake.close();
    }
}
