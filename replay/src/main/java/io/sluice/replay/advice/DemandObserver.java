package io.sluice.replay.advice;

import io.sluice.core.Decision;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.replay.run.RulingObserver;
import io.sluice.rules.evaluate.Ruling;
import java.util.List;
import java.util.Map;

/**
 * Observes the demands of each request on the advised limits, while these limits refuse no request. Ignores callers with numbers of their
 * own.
 */
abstract class DemandObserver implements RulingObserver {

    private final Map<String, LimitCase> cases;

    DemandObserver(Map<String, LimitCase> cases) {
        this.cases = cases;
    }

    /**
     * Receives a demand.
     *
     * @param used the permits that count, including the permits of this request
     */
    abstract void demand(LimitCase limit, LoggedRequest request, Demand demand, long used);

    @Override
    public final void settled(LoggedRequest request, Ruling.Settled ruling) {
        for (Decision decision : ruling.decisions()) {
            List<Demand> demands = decision.ask().demands();
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < demands.size(); i++) {
                Demand demand = demands.get(i);
                LimitCase limit = cases.get(demand.label().limit());
                if (limit == null || !limit.isAdvised() || demand.limit().capacity() != limit.open.capacity()) {
                    continue;
                }
                if (ruling.allowed()) {
                    demand(
                            limit,
                            request,
                            demand,
                            limit.open.capacity() - verdicts.get(i).remaining());
                } else if (!verdicts.get(i).fits()) {
                    limit.full = true;
                }
            }
        }
    }
}
