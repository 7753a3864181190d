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

/** All parts that handle the traffic data of nodes. The data is stored in the folder {@code traffic}. Thread-safe. */
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
     * Opens all parts.
     *
     * @param data the data directory of the center
     * @throws IOException if the data cannot be used; the message is one line for the user
     */
    public static Traffic open(Database database, LiveNodes nodes, Clock clock, Path data) throws IOException {
        Path folder = data.resolve("traffic");
        Files.createDirectories(folder);
        // The folder contains requests of callers, though not their identities.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return new Traffic(database, nodes, clock, folder);
    }

    /** Takes the data of a report over HTTP. Returns the answer to the node. */
    public Fleet heard(NodeReport report, Fleet fleet) {
        return fleet.with(intake.take(report), questions.heard(report)).withExcerpts(excerpts.heard(report));
    }

    /** Takes the data of a report through Redis. Any client with write access to Redis can make such a report. */
    public void heardInRedis(NodeReport report) {
        var unused = intake.take(countsOf(report));
    }

    /** Returns the report with its counts only, because a client that can write to Redis must not report refused callers to the center. */
    private static NodeReport countsOf(NodeReport report) {
        return report.data()
                .traffic()
                .map(data -> report.with(new DataReport(
                        data.sentMillis(),
                        data.batches().stream()
                                .filter(batch -> batch.kind() == Kind.COUNTS)
                                .toList(),
                        data.dropped())))
                .orElse(report);
    }

    /** Runs the tasks that are due. Called about once a second. */
    public void turn() {
        intake.turn();
        questions.turn();
        excerpts.turn();
        live.turn();
    }

    /** Returns the reasons why data cannot be stored, as sentences. */
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

    /** Sets the rules by which visibility is decided: the rules in force and the rules on trial. */
    public void seeBy(Supplier<List<RuleSet>> sets) {
        rules = sets;
    }

    /** Returns the rules by which visibility is decided. */
    public List<RuleSet> rules() {
        return rules.get();
    }

    /** Returns the counts of the traffic over time. */
    public Series series() {
        return series;
    }

    /** Returns the refused callers. */
    public RefusedCallers callers() {
        return callers;
    }

    /** Returns the number of refusals that nodes could not report: there was no room for them, or the node was killed before. */
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

    /** Returns the stream of events to listeners. */
    public Stream stream() {
        return stream;
    }

    @Override
    public void close() throws IOException {
        intake.close();
    }
}
