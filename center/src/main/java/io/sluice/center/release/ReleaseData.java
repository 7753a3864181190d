package io.sluice.center.release;

import io.sluice.center.approval.ApprovalData;
import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.NamedCallers;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.plan.PlanText;
import io.sluice.center.plan.ReleasePlan;
import io.sluice.center.plan.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The texts and callers of rollouts, and the removal of old versions, rollouts and changes. They refer to each other, so they are removed
 * together.
 */
public final class ReleaseData implements PersonalData, AgingData {

    /** The states of a running trial. */
    private static final Set<String> ON_TRIAL = Set.of(RolloutState.TRIAL.word(), RolloutState.HOLDING.word());

    @Override
    public List<FreeText> texts() {
        return List.of(new FreeText("rollout", "id", "reason"), new FreeText("rollout", "id", "problem"));
    }

    @Override
    public List<NamedCallers> callers() {
        return List.of(new TrialCallers());
    }

    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        long released = age.before(RetentionSettings.VERSIONS);
        Map<String, Long> removed = new LinkedHashMap<>();
        removed.put(RetentionSettings.VERSIONS, versions(client, released));
        removed.put("rollouts", rollouts(client, released));
        removed.put(RetentionSettings.CHANGES, changes(client, age.before(RetentionSettings.CHANGES)));
        return removed;
    }

    /** Removes versions. The newest versions remain, and versions that an open rollout, an unreleased change or an emergency refers to. */
    private static long versions(JdbcClient client, long before) {
        long floor = client.sql("SELECT number FROM rule_version WHERE trial = 0 ORDER BY number DESC LIMIT 1 OFFSET "
                        + (RetentionSettings.VERSIONS_KEPT - 1))
                .query(Long.class)
                .optional()
                .orElse(0L);
        List<Long> numbers = OldIds.select(
                client,
                "SELECT number FROM rule_version v WHERE v.number < ? AND v.released_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rollout r WHERE r.ended_at = 0"
                        + " AND (r.version = v.number OR r.replaces = v.number))"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_change c WHERE c.state <> 'released'"
                        + " AND (c.base = v.number OR c.version = v.number))"
                        + " AND NOT EXISTS (SELECT 1 FROM emergency e WHERE e.before_version = v.number"
                        + " OR (e.subject = v.number AND e.kind IN ('release', 'rollback')))"
                        + " ORDER BY v.number",
                floor,
                before);
        numbers.forEach(number -> OldIds.delete(client, "rule_version", "number", number));
        return numbers.size();
    }

    /** Removes rollouts whose version has been removed. */
    private static long rollouts(JdbcClient client, long before) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM rollout r WHERE r.ended_at > 0 AND r.ended_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_version v WHERE v.number = r.version) ORDER BY r.id",
                before);
        ids.forEach(id -> OldIds.delete(client, "rollout", "id", id));
        return ids.size();
    }

    /** Removes changes. A released change is removed after its version and rollouts. */
    private static long changes(JdbcClient client, long before) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM rule_change c WHERE c.state IN ('released', 'withdrawn', 'rejected') AND c.changed_at < ?"
                        + " AND NOT EXISTS (SELECT 1 FROM rule_version v WHERE v.change_id = c.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM rollout r WHERE r.change_id = c.id)"
                        + " AND NOT EXISTS (SELECT 1 FROM emergency e WHERE e.change_id = c.id) ORDER BY c.id",
                before);
        ids.forEach(id -> {
            ApprovalData.removeApprovals(client, "change", id);
            ApprovalData.removeAuthors(client, id);
            OldIds.delete(client, "rule_change", "id", id);
        });
        return ids.size();
    }

    /** The callers that releases name. */
    private static final class TrialCallers implements NamedCallers {

        @Override
        public String kind() {
            return "trial_callers";
        }

        /**
         * Replaces callers that releases name by a caller that does not exist. A running trial keeps its callers, because nodes refuse a
         * trial whose callers change.
         */
        @Override
        public Erased erase(JdbcClient client, String nobody, BiPredicate<String, String> isErased) {
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
                    ReleasePlan next =
                            new ReleasePlan(new Target.Named(named.attribute(), kept), plan.verdict(), false);
                    changes.add(() -> client.sql("UPDATE rollout SET plan = ?, revision = revision + 1 WHERE id = ?")
                            .params(PlanText.write(next), id)
                            .update());
                }
            });
            changes.forEach(Runnable::run);
            return new Erased(changes.size(), waiting);
        }

        @Override
        public boolean areWaiting(JdbcClient client, List<Long> rollouts) {
            return rollouts.stream().allMatch(id -> client.sql("SELECT state FROM rollout WHERE id = ?")
                    .param(id)
                    .query(String.class)
                    .optional()
                    .filter(ON_TRIAL::contains)
                    .isPresent());
        }
    }
}
