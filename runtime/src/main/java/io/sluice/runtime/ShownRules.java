package io.sluice.runtime;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.TrialPointer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Facts that processes show about the rules in force besides the rules: the callers that try another version, and the adjustments. */
public final class ShownRules {

    private ShownRules() {}

    /** Returns the version, its digest and the scope of its trial, without names of callers; null if no callers try a version. */
    public static @Nullable Map<String, Object> trial(RuleSet rules) {
        CallerTrial trial = rules.trial();
        if (trial == null) {
            return null;
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("version", trial.rules().version());
        shown.put("digest", trial.rules().digest());
        shown.put("who", new TrialPointer(trial.rules().version(), new TrialScope.Callers(trial.split())).who());
        return shown;
    }

    /** Returns the revision and the number of the adjustments. */
    public static Map<String, Object> adjustments(RuleSource source) {
        Adjustments adjustments = source.adjustments();
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("revision", adjustments.revision());
        shown.put("overrides", adjustments.overrides().size());
        shown.put("switches", adjustments.switches().size());
        return shown;
    }
}
