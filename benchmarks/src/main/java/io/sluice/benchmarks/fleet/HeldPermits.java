package io.sluice.benchmarks.fleet;

import io.sluice.core.history.StepEvent;
import io.sluice.history.History;
import java.util.List;

/** Computes from histories which permits of {@link Worker#KEY} nodes held. The nodes never release a permit. */
final class HeldPermits {

    private HeldPermits() {}

    /** Returns when the second node first held as many permits as the limit has. */
    static Killed.Back backTo(History.Node dead, History.Node next, long killedMicros) {
        long lost = held(grants(dead), killedMicros);
        List<StepEvent> grants = grants(next);
        long most = 0;
        for (StepEvent grant : grants) {
            most = ((StepEvent.Asked) grant.step()).demand().limit().capacity();
            if (held(grants, grant.atMicros()) >= most) {
                return new Killed.Back(lost, most - atFirst(grants), (grant.atMicros() - killedMicros) / 1e3);
            }
        }
        return new Killed.Back(lost, most, Double.POSITIVE_INFINITY);
    }

    private static long atFirst(List<StepEvent> grants) {
        return held(grants, grants.get(0).atMicros());
    }

    private static List<StepEvent> grants(History.Node node) {
        return node.events().stream()
                .filter(StepEvent.class::isInstance)
                .map(StepEvent.class::cast)
                .filter(recorded -> recorded.step() instanceof StepEvent.Asked asked
                        && asked.demand().key().equals(Worker.KEY)
                        && asked.verdict().granted() > 0)
                .toList();
    }

    private static long held(List<StepEvent> grants, long atMicros) {
        return grants.stream()
                .filter(grant ->
                        grant.atMicros() <= atMicros && grant.atMicros() + Killed.TTL.toNanos() / 1_000 > atMicros)
                .mapToLong(grant -> ((StepEvent.Asked) grant.step()).verdict().granted())
                .sum();
    }
}
