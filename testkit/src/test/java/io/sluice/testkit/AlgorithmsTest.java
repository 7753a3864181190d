package io.sluice.testkit;

import io.sluice.core.Limit;
import io.sluice.core.SlidingLog;
import io.sluice.core.TokenBucket;
import io.sluice.core.algorithm.AdmissionLog;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.TokenBuckets;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The bare functions, with nothing around them but maps, replay the vectors. */
final class AlgorithmsTest {

    @TestFactory
    Stream<DynamicTest> replayGoldenVectors() {
        return GoldenVector.all().stream()
                .map(vector -> DynamicTest.dynamicTest(vector.toString(), () -> vector.replay(new Functions())));
    }

    private static final class Functions implements EngineUnderTest, Engine {

        private final Map<String, BucketState> buckets = new HashMap<>();
        private final Map<String, AdmissionLog> logs = new HashMap<>();
        private long now;

        @Override
        public Decided decide(Ask ask) {
            List<Long> grants = new ArrayList<>();
            for (Demand demand : ask.demands()) {
                if (demand.limit() instanceof TokenBucket limit) {
                    grants.add(TokenBuckets.grant(limit, bucket(limit, demand.key()), demand, now));
                } else {
                    SlidingLog limit = (SlidingLog) demand.limit();
                    grants.add(
                            AdmissionLog.grant(limit, log(limit, demand.key()).at(limit, now), demand));
                }
            }
            boolean allowed = !grants.contains(0L);
            List<Verdict> verdicts = new ArrayList<>();
            for (int i = 0; i < grants.size(); i++) {
                verdicts.add(settle(ask.demands().get(i), grants.get(i), allowed, ask.charges()));
            }
            return new Decided(allowed, verdicts, now, null);
        }

        private Verdict settle(Demand demand, long grant, boolean allowed, boolean charging) {
            boolean charged = allowed && charging;
            if (demand.limit() instanceof TokenBucket limit) {
                BucketState state = state(limit, demand.key());
                BucketState aged = TokenBuckets.at(limit, state, now);
                BucketState next = charged ? aged.plus(grant) : charging ? TokenBuckets.refuse(state, aged) : state;
                buckets.put(id(limit, demand.key()), next);
                return TokenBuckets.verdict(limit, aged, demand, grant, charged, now);
            }
            SlidingLog limit = (SlidingLog) demand.limit();
            AdmissionLog log = log(limit, demand.key());
            AdmissionLog.View view = log.at(limit, now);
            Verdict verdict = log.verdict(limit, view, demand, grant, charged, now);
            if (charged) {
                log.charge(view, grant);
            } else if (charging) {
                log.refuse(view);
            }
            return verdict;
        }

        @Override
        public CompletionStage<Void> giveBack(List<Charge> charges) {
            for (Charge charge : charges) {
                if (charge.limit() instanceof TokenBucket limit) {
                    BucketState back = TokenBuckets.giveBack(
                            limit, bucket(limit, charge.key()), charge.permits(), charge.chargedAtMicros());
                    buckets.put(id(limit, charge.key()), back);
                } else {
                    SlidingLog limit = (SlidingLog) charge.limit();
                    AdmissionLog log = log(limit, charge.key());
                    log.giveBack(log.at(limit, now), charge.permits(), charge.chargedAtMicros());
                }
            }
            return CompletableFuture.completedFuture(null);
        }

        private BucketState bucket(TokenBucket limit, String key) {
            return TokenBuckets.at(limit, state(limit, key), now);
        }

        private BucketState state(TokenBucket limit, String key) {
            return buckets.getOrDefault(id(limit, key), BucketState.fresh(now));
        }

        private AdmissionLog log(SlidingLog limit, String key) {
            return logs.computeIfAbsent(id(limit, key), k -> new AdmissionLog());
        }

        private static String id(Limit limit, String key) {
            return limit.name() + ":" + limit.shape() + ":" + key;
        }

        @Override
        public Engine engine() {
            return this;
        }

        @Override
        public void setMicros(long epochMicros) {
            now = epochMicros;
        }

        @Override
        public String name() {
            return "functions";
        }

        @Override
        public void close() {}
    }
}
