package io.sluice.benchmarks.fleet;

import io.sluice.core.history.Recorded;
import io.sluice.testkit.history.History;
import java.util.List;

/** Who held permits of the key that all ask for, by the histories of nodes that never give any back. */
final class HeldPermits {

    private HeldPermits() {}

    /** When the second node first held all that the limit lets anybody hold. */
    static Killed.Back backTo(History.Node dead, History.Node next, long killedMicros) {
        long lost = held(grants(dead), killedMicros);
        List<Recorded> grants = grants(next);
        long most = 0;
        for (Recorded grant : grants) {
            most = ((Recorded.Asked) grant.step()).demand().limit().capacity();
            if (held(grants, grant.atMicros()) >= most) {
                return new Killed.Back(lost, most - atFirst(grants), (grant.atMicros() - killedMicros) / 1e3);
            }
        }
        return new Killed.Back(lost, most, Double.POSITIVE_INFINITY);
    }

    private static long atFirst(List<Recorded> grants) {
        return held(grants, grants.get(0).atMicros());
    }

    private static List<Recorded> grants(History.Node node) {
        return node.events().stream()
                .filter(Recorded.class::isInstance)
                .map(Recorded.class::cast)
                .filter(recorded -> recorded.step() instanceof Recorded.Asked asked
                        && asked.demand().key().equals(Worker.KEY)
                        && asked.verdict().granted() > 0)
                .toList();
    }

    private static long held(List<Recorded> grants, long atMicros) {
        return grants.stream()
                .filter(grant ->
                        grant.atMicros() <= atMicros && grant.atMicros() + Killed.TTL.toNanos() / 1_000 > atMicros)
                .mapToLong(grant -> ((Recorded.Asked) grant.step()).verdict().granted())
                .sum();
    }
}
