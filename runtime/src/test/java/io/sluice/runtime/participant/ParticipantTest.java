package io.sluice.runtime.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.RulingListeners;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Files;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.participant.Participant.CallerKeys;
import io.sluice.testkit.http.CenterStub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ParticipantTest {

    private static final String RULES =
            "rules: [{ id: a, limits: [{ algorithm: fixed_window, limit: 1, align: year }] }]";

    private final Clock clock = Clock.system();
    private final CenterStub center =
            CenterStub.start().expect("secret-token").answerReports(200, new Fleet(1, 1, "", 0).toJson());
    private final List<String> whenTheStoreClosed = new ArrayList<>();
    private final NotedStore store = new NotedStore(() -> whenTheStoreClosed.addAll(left()));

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void startsItsPartsInTheStatedOrder() throws Exception {
        try (Participant participant = open(files())) {
            assertThat(store.notes).isEmpty();

            participant.warmUp();
            assertThat(store.notes).containsExactly("decided sluice.probe", "figures");

            assertThat(participant.start().join()).isTrue();
            assertThat(store.notes).containsExactly("decided sluice.probe", "figures", "key of callers");
            assertThat(center.requests()).isEmpty();

            join(participant);
            assertThat(NodeReport.parse(center.report()).identity().name()).isEqualTo("a name");
        }
    }

    @Test
    void stopsItsPartsInTheReverseOrder() throws Exception {
        Participant participant = open(files());
        participant.warmUp();
        participant.start().join();
        Evaluator evaluator = join(participant);
        NodeReport first = NodeReport.parse(center.report());
        assertThat(first.beat()).isZero();
        evaluator.evaluate(Attributes.of(Map.of()), 1).toCompletableFuture().join();

        participant.close();
        participant.close();

        assertThat(whenTheStoreClosed).containsExactly("counts reached the center", "the decision is logged");
        assertThat(store.notes.get(store.notes.size() - 1)).isEqualTo("closed");
    }

    @Test
    void aStartThatFailsInTheMiddleClosesWhatWasOpened() throws Exception {
        Path file = java.nio.file.Files.writeString(folder.resolve("file"), "");

        assertThatThrownBy(() -> open(log(file))).isInstanceOf(IllegalArgumentException.class);

        assertThat(store.notes).containsExactly("closed");
        assertThat(center.requests()).isEmpty();
    }

    @Test
    void aStoreThatNoEngineUsesIsClosedWithItsOpening() {
        opening().close();

        assertThat(store.notes).containsExactly("closed");
    }

    /** Returns what has reached its place when the store closes. */
    private List<String> left() {
        List<String> found = new ArrayList<>();
        if (center.reports().stream()
                .flatMap(text -> NodeReport.parse(text).data().traffic().stream())
                .flatMap(data -> data.batches().stream())
                .anyMatch(batch -> batch.kind() == Kind.COUNTS)) {
            found.add("counts reached the center");
        }
        for (String line : lines(folder.resolve("log"))) {
            if (line.contains("\"rule_id\":\"a\"")) {
                found.add("the decision is logged");
            }
        }
        return found;
    }

    private static List<String> lines(Path directory) {
        if (!java.nio.file.Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = java.nio.file.Files.list(directory)) {
            List<String> lines = new ArrayList<>();
            for (Path each :
                    all.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                lines.addAll(java.nio.file.Files.readAllLines(each));
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DecisionSettings files() {
        return log(folder.resolve("log"));
    }

    private static DecisionSettings log(Path directory) {
        return new DecisionSettings(
                Optional.of(new Files(directory, Files.USUAL_SIZE, Files.USUAL_TOTAL, Files.USUAL_KEEP)),
                Optional.empty(),
                new Shares(1, 1),
                Map.of(),
                1);
    }

    private StoreOpening opening() {
        return StoreOpening.begin(
                new StoreOpening.Address(Optional.of("noted://"), "test"),
                (uri, prefix, from, listener) -> store,
                Runnable::run,
                clock,
                StoreListener.NONE,
                Optional.empty());
    }

    private Participant open(DecisionSettings log) throws IOException {
        Path token = java.nio.file.Files.writeString(folder.resolve("token"), "secret-token");
        Optional<Center> reached = Optional.of(Center.at(CenterAddress.of(center.url(), token)));
        RuleDocument.Accepted document = (RuleDocument.Accepted) RuleDocument.parse("rules", RULES);
        OpenRules rules = OpenRules.of(RuleSource.fixed(new RuleSet(1, document.rules())));
        SharedCallerKey own = SharedCallerKey.open(Optional.empty());
        return Participant.open(
                Membership.of("id", NodeReport.Kind.NODE, reached, Optional.empty(), Optional.empty(), clock),
                Engines.open(
                        opening(), rules.source()::latest, Optional.empty(), Optional.empty(), clock, Optional.empty()),
                rules,
                new CallerKeys(new KeySettings(own.secret(), 64), Optional.of(own)),
                log,
                Optional.empty(),
                clock);
    }

    private static Evaluator join(Participant participant) {
        Evaluator evaluator = participant.evaluator(new RulingListeners(participant.listeners()));
        participant.join("a name", evaluator, explanation -> Optional.empty(), List::of, List.of());
        return evaluator;
    }
}
