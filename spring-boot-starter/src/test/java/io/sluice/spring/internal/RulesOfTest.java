package io.sluice.spring.internal;

import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.KeyMatch;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;

/** The rules of a test in an application, which the next test may use with its own rules. */
public final class RulesOfTest {

    private volatile String text;
    private volatile RuleSet set;
    private volatile Runnable forgetting = () -> {};

    public RulesOfTest(String text) {
        this.text = text;
        this.set = setOf(text);
    }

    public String text() {
        return text;
    }

    public RuleSet set() {
        return set;
    }

    /** Names the engine that forgets its counts when the rules are replaced. */
    public RulesOfTest countedBy(LocalEngine engine) {
        forgetting = () -> engine.forget(new KeyMatch(key -> true, List.of()));
        return this;
    }

    /** Gives the application the rules of another test, and no counts. */
    public void replace(String other) {
        text = other;
        set = setOf(other);
        forgetting.run();
    }

    private static RuleSet setOf(String text) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", text)).rules());
    }
}
