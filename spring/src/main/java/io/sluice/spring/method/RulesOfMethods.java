package io.sluice.spring.method;

import io.sluice.spring.method.plan.MethodPlans;
import io.sluice.spring.named.RuleReference;
import io.sluice.spring.named.RuleUser;
import java.util.List;

/** The rules that annotations name. */
public final class RulesOfMethods implements RuleUser {

    private final MethodPlans plans;

    public RulesOfMethods(MethodPlans plans) {
        this.plans = plans;
    }

    @Override
    public List<RuleReference> named() {
        return plans.named();
    }
}
