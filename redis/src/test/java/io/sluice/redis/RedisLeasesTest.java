package io.sluice.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.LeaseModel;
import io.sluice.redis.internal.lease.LeaseStore;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.EndedLease;
import io.sluice.redis.internal.wire.LeaseReply;
import io.sluice.redis.internal.wire.LeaseRequest;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.RedisReply;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis grants and ends leases as the model does. */
class RedisLeasesTest {

    private static final long START = 1_700_000_000_000_000L;
    private static final Limit BUCKET = Limit.named("bucket").tokenBucket(Rate.perSecond(1_000));

    private static final RedisKeys NAMES = new RedisKeys("leases");
    private static final String COUNT = NAMES.of(BUCKET, "key");

    private static RedisServer redis;

    private final AtomicLong now = new AtomicLong(START);
    private RedisEngine engine;
    private LeaseStore store;
    private int leaseNumber;

    @BeforeAll
    static void startRedis() throws Exception {
        redis = RedisServer.shared();
    }

    @BeforeEach
    void connect() throws Exception {
        redis.command("FLUSHALL");
        engine = RedisEngine.onTime(
                redis.uri(),
                "leases",
                Clock.system(),
                RedisOptions.defaults().slow(Duration.ofMinutes(1)),
                () -> Long.toString(now.get()));
        engine.ready().toCompletableFuture().get(60, SECONDS);
        store = engine.leases();
    }

    @AfterEach
    void disconnect() {
        engine.close();
    }

    static List<Limit> limits() {
        Limit.Named named = Limit.named("fleet");
        return List.of(
                named.tokenBucket(Rate.perSecond(1_000)).withBurst(700),
                named.leakyBucket(Rate.perSecond(1_000)),
                named.fixedWindow(1_000, Duration.ofSeconds(1)),
                named.fixedWindow(1_000, Calendar.DAY, ZoneId.of("Europe/Berlin")),
                named.slidingWindow(1_000, Duration.ofSeconds(1)),
                new SlidingWindow("fleet", 1_000, Duration.ofSeconds(1), 10, true));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void answersLikeTheModel(Limit limit) throws Exception {
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            LeaseModel model = new LeaseModel(now::get, Runnable::run);
            Engine modelEngine = model.engine();
            String key = "key-" + seed;
            List<EndedLease> open = new ArrayList<>();
            List<Charge> charges = new ArrayList<>();
            for (int step = 0; step < 120; step++) {
                String where = "seed " + seed + ", step " + step;
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        List<EndedLease> ended = some(open, random);
                        long wanted = 1 + random.nextLong(200);
                        LeaseRequest request = new LeaseRequest(
                                limit,
                                key,
                                "s" + seed + "-" + step,
                                wanted,
                                1 + random.nextLong(wanted),
                                100,
                                1_000_000,
                                limit.maxWaitMicros() > 0 ? 50_000 : 0,
                                ended);
                        LeaseReply answer = join(store.request(request));
                        assertThat(answer).as(where).isEqualTo(join(model.request(request)));
                        if (answer instanceof LeaseReply.Granted granted) {
                            open.add(new EndedLease(request.lease(), random.nextLong(granted.permits() + 1)));
                        }
                    }
                    case 2 -> {
                        List<EndedLease> ended = some(open, random);
                        join(store.end(limit, key, ended));
                        join(model.end(limit, key, ended));
                    }
                    case 3, 4 -> {
                        Ask ask = Ask.charging(List.of(Demand.of(limit, key, 1 + random.nextInt(80))));
                        EngineDecision decided = decided(engine, ask);
                        assertThat(decided).as(where).isEqualTo(decided(modelEngine, ask));
                        charges.addAll(decided.charges(ask));
                    }
                    default -> {
                        if (!charges.isEmpty()) {
                            Charge charge = charges.remove(random.nextInt(charges.size()));
                            join(engine.giveBack(List.of(charge)));
                            join(modelEngine.giveBack(List.of(charge)));
                        }
                    }
                }
                now.addAndGet(random.nextInt(4) == 0 ? random.nextLong(700_000) : random.nextLong(20_000));
            }
        }
    }

    private static List<EndedLease> some(List<EndedLease> open, Random random) {
        List<EndedLease> ended = new ArrayList<>();
        while (!open.isEmpty() && random.nextBoolean()) {
            ended.add(open.remove(random.nextInt(open.size())));
        }
        return ended;
    }

    @Test
    void grantsNoMoreThanTheShareOverAll() {
        long out = 0;
        for (int i = 0; i < 50; i++) {
            if (join(store.request(request("l" + i, 60, 1))) instanceof LeaseReply.Granted granted) {
                out += granted.permits();
            }
        }
        assertThat(out).isEqualTo(100);
        assertThat(join(store.request(request("more", 1, 1))))
                .isEqualTo(new LeaseReply.Refused(true, 900, 0, 100_000, START));
        now.addAndGet(1_000_000);
        assertThat(join(store.request(request("later", 60, 1)))).isInstanceOf(LeaseReply.Granted.class);
    }

    @Test
    void keepsLeasesInTheSlotOfTheirCount() {
        for (boolean tags : List.of(true, false)) {
            RedisKeys names = new RedisKeys("rate_limit", tags);
            for (String key : List.of("u-17", "{acme}user=u-17", "{}", "", "a{b}c", "x".repeat(300))) {
                String count = names.of(BUCKET, key);
                assertThat(SlotHash.getSlot(names.leases(count))).as(key).isEqualTo(SlotHash.getSlot(count));
                assertThat(names.leases(count)).startsWith("rate_limit:");
            }
        }
    }

    @Test
    void givesBackWhatWasNotSpentOnce() {
        assertThat(join(store.request(request("first", 40, 1)))).isInstanceOf(LeaseReply.Granted.class);
        assertThat(left()).isEqualTo(960);
        join(store.end(BUCKET, "key", List.of(new EndedLease("first", 30))));
        assertThat(left()).isEqualTo(970);
        join(store.end(BUCKET, "key", List.of(new EndedLease("first", 0))));
        assertThat(left()).isEqualTo(970);
    }

    @Test
    void endsALeaseWhoseAnswerWasLost() {
        join(store.request(request("lost", 40, 1)));
        LeaseReply answer = join(store.request(
                new LeaseRequest(BUCKET, "key", "next", 40, 1, 100, 1_000_000, 0, List.of(new EndedLease("lost", 0)))));
        assertThat(answer).isInstanceOf(LeaseReply.Granted.class);
        assertThat(left()).isEqualTo(960);
    }

    @Test
    void keepsNoRecordOfLeasesThatEndedLongAgo() throws Exception {
        join(store.request(request("first", 40, 1)));
        now.addAndGet(12_000_000);
        join(store.request(request("second", 40, 1)));
        assertThat(redis.command("STRLEN", NAMES.leases(COUNT)))
                .isEqualTo(new RedisReply.Whole(5 + 7 + 7 + 1 + "second".length()));
    }

    @Test
    void leavesNoKeyWithoutATimeToLive() throws Exception {
        join(store.request(request("first", 40, 1)));
        for (String key : List.of(COUNT, NAMES.leases(COUNT))) {
            assertThat(redis.command("PTTL", key))
                    .isInstanceOfSatisfying(RedisReply.Whole.class, left -> assertThat(left.number())
                            .isPositive());
        }
    }

    @Test
    void letsNoLeaseBeOutLongerThanANewOneWhenTimeHasSteppedBack() {
        join(store.request(request("first", 50, 1)));
        now.addAndGet(-3_600_000_000L);
        assertThat(join(store.request(request("second", 200, 1))))
                .isInstanceOfSatisfying(LeaseReply.Granted.class, granted -> assertThat(granted.permits())
                        .isEqualTo(25));
        now.addAndGet(1_000_001);
        assertThat(join(store.request(request("third", 200, 1))))
                .isInstanceOfSatisfying(LeaseReply.Granted.class, granted -> assertThat(granted.permits())
                        .isEqualTo(50));
    }

    /**
     * The clock of Redis jumps while the whole share is out. At most one share more is granted, no more than the limit is charged, what is
     * returned late or twice gives nothing more, and a second after the jump leases are granted again.
     */
    @ParameterizedTest
    @MethodSource("limits")
    void aJumpOfTheClockGrantsAtMostOneShareMoreAndKeepsNobodyWaiting(Limit limit) {
        for (long seconds : new long[] {30, 3_600, 86_400, -1, -2, -60, -3_600, -86_400}) {
            now.set(START);
            String key = "jump" + seconds;
            List<EndedLease> granted = new ArrayList<>();
            long out = granted(limit, key, granted);
            assertThat(out).as("%s", limit).isBetween(1L, 100L);
            now.addAndGet(seconds * 1_000_000);
            long more = granted(limit, key, granted);
            assertThat(more).as("%s, %s s", limit, seconds).isLessThanOrEqualTo(seconds > 0 ? 100 : 100 - out);
            // Nothing was spent. It comes back once, or not at all if its window is gone.
            for (int i = 0; i < 2; i++) {
                join(store.end(limit, key, granted));
            }
            assertThat(left(limit, key)).as("%s, %s s", limit, seconds).isLessThanOrEqualTo(limit.capacity());
            // Holders that died return nothing.
            granted(limit, key, new ArrayList<>());
            now.addAndGet(-seconds * 1_000_000);
            granted(limit, key, new ArrayList<>());
            now.addAndGet(2_100_000);
            assertThat(granted(limit, key, new ArrayList<>()))
                    .as("%s, %s s: a while after the jump", limit, seconds)
                    .isPositive();
        }
    }

    /** Asks for leases until none is granted, and returns the permits of all. */
    private long granted(Limit limit, String key, List<EndedLease> leases) {
        long out = 0;
        for (int i = 0; i < 20; i++) {
            String lease = "l" + leaseNumber++;
            LeaseRequest request = new LeaseRequest(
                    limit, key, lease, 60, 1, 100, 1_000_000, limit.maxWaitMicros() > 0 ? 50_000 : 0, List.of());
            if (join(store.request(request)) instanceof LeaseReply.Granted granted) {
                out += granted.permits();
                leases.add(new EndedLease(lease, 0));
            }
        }
        return out;
    }

    @Test
    void aLeaseIsOutForAsLongAsItWasGrantedForWhateverOthersAskFor() {
        join(store.request(request("first", 80, 1)));
        join(store.end(BUCKET, "key", List.of(new EndedLease("first", 0))));
        LeaseRequest hour = new LeaseRequest(BUCKET, "key", "hour", 80, 1, 100, 3_600_000_000L, 0, List.of());
        assertThat(join(store.request(hour)))
                .isInstanceOfSatisfying(LeaseReply.Granted.class, granted -> assertThat(granted.permits())
                        .isEqualTo(50));
        // The rule has changed to leases of a second, but not every node knows it yet.
        assertThat(join(store.request(request("second", 1, 1)))).isInstanceOf(LeaseReply.Granted.class);
        now.addAndGet(30_000_000);
        long out = 50;
        for (int i = 0; i < 20; i++) {
            if (join(store.request(request("more" + i, 60, 1))) instanceof LeaseReply.Granted granted) {
                out += granted.permits();
            }
        }
        assertThat(out).isEqualTo(100);
    }

    @Test
    void givesBackWhatIsLeftOfALongLeaseThoughOthersAskForShortOnes() {
        Limit window = Limit.named("window").fixedWindow(1_000, Duration.ofHours(10));
        LeaseRequest hour = new LeaseRequest(window, "key", "hour", 50, 1, 100, 3_600_000_000L, 0, List.of());
        join(store.request(hour));
        join(store.request(new LeaseRequest(window, "key", "second", 10, 1, 100, 1_000_000, 0, List.of())));
        now.addAndGet(30_000_000);
        join(store.request(new LeaseRequest(window, "key", "third", 10, 1, 100, 1_000_000, 0, List.of())));
        join(store.end(window, "key", List.of(new EndedLease("hour", 20))));
        assertThat(left(window)).isEqualTo(1_000 - 20 - 10 - 10);
    }

    @Test
    void keepsFewRecordsOfLeasesThatHaveEnded() {
        for (int i = 0; i < 1_000; i++) {
            LeaseRequest request = new LeaseRequest(BUCKET, "key", "l" + i, 1, 1, 100, 1_000, 0, List.of());
            assertThat(join(store.request(request))).isInstanceOf(LeaseReply.Granted.class);
            now.addAndGet(2_000);
        }
        RedisReply length = redis.command("STRLEN", NAMES.leases(COUNT));
        assertThat(((RedisReply.Whole) length).number()).isLessThan(5_000);
        // Those that ended last can still be returned.
        long before = left();
        join(store.end(BUCKET, "key", List.of(new EndedLease("l998", 0), new EndedLease("l999", 0))));
        assertThat(left()).isBetween(before, before + 2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"x", "something that somebody else has written in the place of leases", "12345678901234567890"})
    void recordsThatCannotBeReadAreNone(String foreign) throws Exception {
        redis.command("SET", NAMES.leases(COUNT), foreign);
        assertThat(join(store.request(request("first", 40, 1)))).isInstanceOf(LeaseReply.Granted.class);
        join(store.end(BUCKET, "key", List.of(new EndedLease("first", 30))));
        assertThat(left()).isEqualTo(970);
    }

    @Test
    void ignoresAForeignValueInPlaceOfLeaseRecords() throws Exception {
        redis.command("RPUSH", NAMES.leases(COUNT), "foreign");
        assertThat(join(store.request(request("first", 40, 1)))).isInstanceOf(LeaseReply.Granted.class);
        join(store.end(BUCKET, "key", List.of(new EndedLease("first", 30))));
        assertThat(left()).isEqualTo(970);
    }

    @Test
    void reportsUnknownWhenRedisIsDown() {
        try (RedisEngine gone = RedisEngine.connect("redis://127.0.0.1:1", "leases", Clock.system())) {
            assertThat(join(gone.leases().request(request("first", 40, 1)))).isInstanceOf(LeaseReply.Unknown.class);
            assertThat(gone.leases().end(BUCKET, "key", List.of(new EndedLease("first", 0))))
                    .failsWithin(Duration.ofMinutes(1));
        }
    }

    private static LeaseRequest request(String lease, long wanted, long atLeast) {
        return new LeaseRequest(BUCKET, "key", lease, wanted, atLeast, 100, 1_000_000, 0, List.of());
    }

    private long left() {
        return left(BUCKET);
    }

    private long left(Limit limit) {
        return left(limit, "key");
    }

    private long left(Limit limit, String key) {
        Ask look = Ask.charging(List.of(Demand.of(limit, key, 1))).looking();
        return decided(engine, look).verdicts().get(0).remaining();
    }

    private static EngineDecision decided(Engine engine, Ask ask) {
        Answer answer = engine.decide(ask);
        return (EngineDecision) (answer instanceof PendingOutcome pending ? join(pending.outcome()) : answer);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, SECONDS).join();
    }
}
