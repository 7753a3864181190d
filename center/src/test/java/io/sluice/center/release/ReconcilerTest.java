package io.sluice.center.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.InvalidDataAccessResourceUsageException;

/** A duty that fails or hangs neither delays releases nor other duties, and is not taken for a failure of the database. */
class ReconcilerTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    private final Clock clock = Clock.system();
    private final AtomicInteger others = new AtomicInteger();
    private Database database;
    private Releases releases;
    private Reconciler reconciler;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        CommandLog log = new CommandLog(clock);
        Versions versions = new Versions();
        CurrentRules current = new CurrentRules(versions);
        releases = new Releases(database, versions, new Changes(database, versions, log, clock), log, clock, () -> 0);
        reconciler = new Reconciler(
                database,
                current,
                new AdjustmentBook(database, log, clock, current::all),
                new LiveNodes(clock),
                new RuleFeed(),
                clock,
                "self",
                Optional.empty());
    }

    @AfterEach
    void close() {
        reconciler.close();
        database.close();
    }

    private void start() {
        reconciler.add("others", leads -> others.incrementAndGet());
        reconciler.start();
        release(1);
    }

    private void release(long version) {
        RuleDocument document = RuleDocument.parse(
                "test", "rules: [{id: login, limits: [{by: ip, limit: " + version + ", window: 1m}]}]");
        var unused = releases.takeOver(
                Actor.CENTER, new RuleSet(version, ((RuleDocument.Accepted) document).rules()), "test");
    }

    /** Releases arrive and other duties take their turns, and the database has no problem. */
    private void assertWorks() {
        int before = others.get();
        Await.until("others", SOON, () -> {
            reconciler.wake();
            assertThat(reconciler.databaseProblem()).isEmpty();
            return reconciler.latest().version() == 1 && reconciler.leads() && others.get() > before + 5;
        });
    }

    private void awaitProblems(List<String> problems) {
        Await.until("problems " + problems, SOON, () -> {
            reconciler.wake();
            return reconciler.problems().equals(problems);
        });
    }

    @Test
    void aDutyThatHangsDelaysNothing() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        reconciler.add("alerts", leads -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        start();
        begun.await();
        assertWorks();
        awaitProblems(List.of("alerts: has been busy for more than a minute"));
        assertWorks();
        end.countDown();
        awaitProblems(List.of());
    }

    @Test
    void aDutyThatFailsIsItsOwnTrouble() {
        RuntimeException[] failure = {new IllegalStateException("no figures")};
        reconciler.add("alerts", leads -> {
            if (failure[0] != null) {
                throw failure[0];
            }
        });
        start();
        awaitProblems(List.of("alerts: no figures"));
        assertWorks();
        failure[0] = null;
        awaitProblems(List.of());
        // A statement that the database refuses is a failure of the duty, too.
        failure[0] = new InvalidDataAccessResourceUsageException("no such column");
        awaitProblems(List.of("alerts: no such column"));
        assertWorks();
    }
}
