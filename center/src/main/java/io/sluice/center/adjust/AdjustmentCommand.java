package io.sluice.center.adjust;

import io.sluice.center.command.Command;
import java.time.Instant;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The commands on overrides and emergency switches. */
public sealed interface AdjustmentCommand extends Command {

    /**
     * Gives one caller other numbers for a limited time. The caller is not named here, because commands are never deleted.
     *
     * @param id the id of the override, which names the caller
     */
    record OverrideCaller(long id, String rule, String limit, String numbers, long until, String reason)
            implements AdjustmentCommand {

        @Override
        public String kind() {
            return "override_caller";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("id", id).put("rule", rule).put("limit", limit);
            body.put("until", Instant.ofEpochMilli(until).toString());
            body.set("numbers", JsonMapper.shared().readTree(numbers));
        }
    }

    /**
     * Makes rules refuse nothing for a limited time.
     *
     * @param rule the id of a rule, or {@code *} for all
     */
    record SwitchToShadow(long id, String rule, long until, String reason) implements AdjustmentCommand {

        @Override
        public String kind() {
            return "switch_to_shadow";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("id", id).put("rule", rule);
            body.put("until", Instant.ofEpochMilli(until).toString());
        }
    }

    /** Ends an override or a switch before it expires. */
    record EndAdjustment(long id, String reason) implements AdjustmentCommand {

        @Override
        public String kind() {
            return "end_adjustment";
        }

        @Override
        public void write(ObjectNode body) {
            body.put("id", id);
        }
    }
}
