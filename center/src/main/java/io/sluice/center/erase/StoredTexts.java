package io.sluice.center.erase;

import io.sluice.center.plan.PlanText;
import io.sluice.center.plan.ReleasePlan;
import io.sluice.center.plan.Target;
import io.sluice.center.release.RolloutState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The places of the database, apart from the audit log, where texts may name a subject. Every method runs within a transaction of
 * the caller.
 */
final class StoredTexts {

    /** The text that replaces an erased text. */
    static final String ERASED = "(erased)";

    /** All free texts that people write and that nothing depends on. */
    private static final List<Column> FREE = List.of(
            new Column("adjustment", "id", "reason"),
            new Column("adjustment", "id", "end_reason"),
            new Column("rollout", "id", "reason"),
            new Column("rollout", "id", "problem"),
            new Column("rule_change", "id", "title"),
            new Column("rule_change", "id", "reason"),
            new Column("rule_version", "number", "title"),
            new Column("rule_version", "number", "reason"),
            new Column("approval", "id", "remark"),
            new Column("settings_proposal", "id", "reason"),
            new Column("emergency", "id", "reason"),
            new Column("emergency", "id", "close_reason"),
            new Column("erasure", "id", "reason"),
            new Column("alert_silence", "id", "reason"));

    /** The states of a running trial. */
    private static final Set<String> ON_TRIAL = Set.of(RolloutState.TRIAL.word(), RolloutState.HOLDING.word());

    private StoredTexts() {}

    private record Column(String table, String id, String name) {}

    /** A free text at its place. */
    record Place(String table, long id, String column, String text) {}

    /** Decides whether a free text is erased. */
    @FunctionalInterface
    interface Finder {
        boolean isErased(Place place);
    }

    /** Replaces free texts. Returns the original texts. */
    static List<Place> erase(JdbcClient client, Finder finder) {
        List<Place> found = new ArrayList<>();
        for (Column column : FREE) {
            List<Place> own = new ArrayList<>();
            client.sql("SELECT " + column.id() + ", " + column.name() + " FROM " + column.table() + " WHERE "
                            + column.name() + " <> ''")
                    .query((RowCallbackHandler) row -> {
                        Place place = new Place(column.table(), row.getLong(1), column.name(), row.getString(2));
                        if (finder.isErased(place)) {
                            own.add(place);
                        }
                    });
            own.forEach(place -> client.sql(
                            "UPDATE " + column.table() + " SET " + column.name() + " = ? WHERE " + column.id() + " = ?")
                    .params(ERASED, place.id())
                    .update());
            found.addAll(own);
        }
        return found;
    }

    /** A caller that an override names by an attribute and a value, or by a hash without an attribute. */
    record OverrideCaller(long id, String attribute, String caller) {}

    static List<OverrideCaller> overrides(JdbcClient client) {
        return client.sql("SELECT id, attribute, caller FROM adjustment WHERE kind = 'override' ORDER BY id")
                .query((row, index) -> new OverrideCaller(row.getLong(1), row.getString(2), row.getString(3)))
                .list();
    }

    /** Removes overrides, including overrides that have ended. */
    static void removeOverrides(JdbcClient client, List<OverrideCaller> overrides) {
        overrides.forEach(override -> client.sql("DELETE FROM adjustment WHERE id = ?")
                .param(override.id())
                .update());
    }

    /**
     * Callers that releases name.
     *
     * @param replaced the number of releases in which such a caller was replaced
     * @param waiting the running trials that name such a caller
     */
    record NamedCallers(long replaced, List<Long> waiting) {}

    /**
     * Replaces callers that releases name by a caller that does not exist. A running trial keeps its callers, because nodes
     * refuse a trial whose callers change.
     */
    static NamedCallers replaceNamed(JdbcClient client, String nobody, BiPredicate<String, String> isErased) {
        List<Runnable> changes = new ArrayList<>();
        List<Long> waiting = new ArrayList<>();
        client.sql("SELECT id, state, plan FROM rollout WHERE plan <> ''").query((RowCallbackHandler) row -> {
            long id = row.getLong(1);
            ReleasePlan plan = PlanText.read(row.getString(3), false);
            if (plan.to() instanceof Target.Named named) {
                Set<String> kept = new TreeSet<>(named.values());
                if (!kept.removeIf(value -> isErased.test(named.attribute(), value))) {
                    return;
                }
                if (ON_TRIAL.contains(row.getString(2))) {
                    waiting.add(id);
                    return;
                }
                kept.add(nobody);
                ReleasePlan next = new ReleasePlan(new Target.Named(named.attribute(), kept), plan.verdict(), false);
                changes.add(() -> client.sql("UPDATE rollout SET plan = ?, revision = revision + 1 WHERE id = ?")
                        .params(PlanText.write(next), id)
                        .update());
            }
        });
        changes.forEach(Runnable::run);
        return new NamedCallers(changes.size(), waiting);
    }

    /** Returns whether all of these trials are running. */
    static boolean areOnTrial(JdbcClient client, List<Long> rollouts) {
        return rollouts.stream().allMatch(id -> client.sql("SELECT state FROM rollout WHERE id = ?")
                .param(id)
                .query(String.class)
                .optional()
                .filter(ON_TRIAL::contains)
                .isPresent());
    }
}
