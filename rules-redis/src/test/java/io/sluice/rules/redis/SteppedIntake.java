package io.sluice.rules.redis;

import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.watch.Looks;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The intake of a node, followed one look at a time. */
final class SteppedIntake implements DocumentSource {

    private final RuleIntake intake;
    private final RuleFollower rules;
    private @Nullable RuleStore store;
    private boolean told;
    private boolean hashesToo;

    SteppedIntake(Optional<RuleStamp> last, RuleVet vet, Clock clock) {
        intake = new RuleIntake(new NodeShare("n"), clock);
        rules = RuleFollower.open(this, last, vet, new Looks(clock, every(), Runnable::run, () -> {}));
    }

    RuleIntake intake() {
        return intake;
    }

    RuleFollower rules() {
        return rules;
    }

    void look(RuleStore from, boolean isTold, boolean withHashes) {
        store = from;
        told = isTold;
        hashesToo = withHashes;
        var unused = rules.reload();
    }

    @Override
    public DocumentReading read(Known known) {
        RuleStore from = store;
        return from == null ? new DocumentReading.Unchanged() : intake.look(from, known, told, hashesToo);
    }

    @Override
    public Duration every() {
        return Duration.ZERO;
    }

    @Override
    public String name() {
        return "Redis";
    }
}
