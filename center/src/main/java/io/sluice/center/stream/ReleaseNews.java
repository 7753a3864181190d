package io.sluice.center.stream;

import io.sluice.center.access.Access;
import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.database.Database;
import io.sluice.center.reach.Visibility;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Rollout;
import io.sluice.core.time.Clock;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Publishes an event if a rollout starts, continues or ends. Used by one thread. */
public final class ReleaseNews {

    private static final int WATCHED = 20;
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Stream stream;
    private final Releases releases;
    private final Changes changes;
    private final Database database;
    private final Clock clock;
    private long nextNanos;
    private Map<Long, Long> revisions = new HashMap<>();

    public ReleaseNews(Stream stream, Releases releases, Changes changes, Database database, Clock clock) {
        this.stream = stream;
        this.releases = releases;
        this.changes = changes;
        this.database = database;
        this.clock = clock;
        this.nextNanos = clock.nanoTime();
        releases.rollouts(Long.MAX_VALUE, WATCHED).forEach(each -> revisions.put(each.id(), each.revision()));
    }

    /** Publishes the changes since the last call, at most once a second. Called several times a second. */
    public void turn() {
        if (clock.nanoTime() - nextNanos < 0) {
            return;
        }
        nextNanos = clock.nanoTime() + EVERY_NANOS;
        Map<Long, Long> now = new HashMap<>();
        for (Rollout rollout : releases.rollouts(Long.MAX_VALUE, WATCHED)) {
            now.put(rollout.id(), rollout.revision());
            Long known = revisions.get(rollout.id());
            if ((known == null || known != rollout.revision()) && stream.isHeard(StreamTopic.RELEASES)) {
                stream.publish(StreamTopic.RELEASES.word(), json(rollout), sees(rollout));
            }
        }
        revisions = now;
    }

    private static String json(Rollout rollout) {
        return new JsonLine()
                .begin()
                .field("rollout", rollout.id())
                .field("change", rollout.order().change())
                .field("version", rollout.version())
                .field("state", rollout.state().word())
                .field("revision", rollout.revision())
                .end()
                .toString();
    }

    /** Returns whether a listener sees a rollout: it must be able to read every rule that the change touches. */
    private Predicate<Access> sees(Rollout rollout) {
        return database.read(client -> {
            Optional<Change> change = changes.find(client, rollout.order().change());
            if (change.isEmpty()) {
                return Access::seesAll;
            }
            List<RuleSet> sets = changes.sets(client, change.get());
            return access -> new Visibility(access).sees(change.get().edits(), sets);
        });
    }
}
