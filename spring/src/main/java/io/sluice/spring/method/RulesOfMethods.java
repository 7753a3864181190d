package io.sluice.spring.method;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.method.plan.InvalidLimitException;
import io.sluice.spring.method.plan.MethodPlans;
import io.sluice.spring.method.plan.PlannedLimit;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Checks at startup that every rule named by an annotation is in force. */
public final class RulesOfMethods implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(RulesOfMethods.class);

    private final MethodPlans plans;
    private final Supplier<Admissions> admissions;
    private final MissingRule onMissing;

    public RulesOfMethods(MethodPlans plans, Supplier<Admissions> admissions, MissingRule onMissing) {
        this.plans = plans;
        this.admissions = admissions;
        this.onMissing = onMissing;
    }

    @Override
    public void afterSingletonsInstantiated() {
        RuleSet set = admissions.get().rules();
        List<PlannedLimit> missing = plans.withoutRule(set);
        if (missing.isEmpty() || onMissing == MissingRule.ALLOW) {
            return;
        }
        boolean loaded = set.version() > 0;
        for (PlannedLimit limit : missing) {
            String what = MethodPlans.missing(limit, set);
            if (loaded && onMissing == MissingRule.FAIL) {
                throw new InvalidLimitException(limit.parts().where(), what);
            }
            LOG.warn("{}: {}{}", limit.parts().where(), what, loaded ? "" : "; no rules have been loaded yet");
        }
    }
}
