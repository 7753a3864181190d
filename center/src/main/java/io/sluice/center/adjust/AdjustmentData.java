package io.sluice.center.adjust;

import io.sluice.center.database.Database;
import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.FreeText;
import io.sluice.center.personal.NamedCallers;
import io.sluice.center.personal.Numbers;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.personal.SubjectText;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The callers and texts of overrides and switches, and the removal of adjustments that have ended. */
public final class AdjustmentData implements PersonalData, AgingData {

    /** An override that names its caller by an attribute and a value, or by a hash without an attribute. */
    private record OverrideCaller(long id, String attribute, String caller) {}

    @Override
    public List<FreeText> texts() {
        return List.of(new FreeText("adjustment", "id", "reason"), new FreeText("adjustment", "id", "end_reason"));
    }

    @Override
    public List<NamedCallers> callers() {
        return List.of(new OverrideCallers());
    }

    /** Reports overrides of the same value of another attribute, which may belong to another subject. */
    @Override
    public List<String> left(JdbcClient client, SubjectText subject) {
        List<Long> overrides = overrides(client).stream()
                .filter(each -> !subject.isCaller(each.attribute(), each.caller()) && subject.isIn(each.caller()))
                .map(OverrideCaller::id)
                .toList();
        return overrides.isEmpty()
                ? List.of()
                : List.of("overrides " + Numbers.some(overrides)
                        + ": they name the same value of another attribute (erase it for"
                        + " that attribute too, if it is the same subject)");
    }

    /** Removes adjustments that have ended. An adjustment remains while its emergency is not reviewed. */
    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM adjustment WHERE ended_at > 0 AND ended_at < ? AND NOT EXISTS (SELECT 1 FROM emergency"
                        + " WHERE kind IN ('switch', 'override') AND subject = adjustment.id AND state IN ('waiting', 'ended'))"
                        + " ORDER BY ended_at, id",
                age.before(RetentionSettings.ADJUSTMENTS));
        ids.forEach(id -> OldIds.delete(client, "adjustment", "id", id));
        return Map.of(RetentionSettings.ADJUSTMENTS, (long) ids.size());
    }

    private static List<OverrideCaller> overrides(JdbcClient client) {
        return client.sql("SELECT id, attribute, caller FROM adjustment WHERE kind = 'override' ORDER BY id")
                .query((row, index) -> new OverrideCaller(row.getLong(1), row.getString(2), row.getString(3)))
                .list();
    }

    /** The callers of overrides. An erasure removes these overrides, including overrides that have ended. */
    private static final class OverrideCallers implements NamedCallers {

        @Override
        public String kind() {
            return "overrides";
        }

        @Override
        public Erased erase(JdbcClient client, String nobody, BiPredicate<String, String> isErased) {
            List<OverrideCaller> erased = overrides(client).stream()
                    .filter(each -> isErased.test(each.attribute(), each.caller()))
                    .toList();
            erased.forEach(each -> OldIds.delete(client, "adjustment", "id", each.id()));
            if (!erased.isEmpty()) {
                // Nodes fetch the overrides that remain.
                long unused = Database.next(client, "adjustments");
            }
            return new Erased(erased.size(), List.of());
        }
    }
}
