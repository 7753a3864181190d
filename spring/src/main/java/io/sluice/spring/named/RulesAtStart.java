package io.sluice.spring.named;

import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Checks at startup that every rule which the application names is in force. */
public final class RulesAtStart implements SmartInitializingSingleton {

    private final NamedRules rules;
    private final Supplier<List<RuleUser>> users;

    public RulesAtStart(NamedRules rules, Supplier<List<RuleUser>> users) {
        this.rules = rules;
        this.users = users;
    }

    @Override
    public void afterSingletonsInstantiated() {
        rules.check(users.get().stream().flatMap(user -> user.named().stream()).toList());
    }
}
