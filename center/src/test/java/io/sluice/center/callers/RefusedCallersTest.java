package io.sluice.center.callers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.StoredBatch;
import io.sluice.center.data.TopQuery;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.PackWriter;
import io.sluice.runtime.data.RefusedMinute;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusedCallersTest {

    /** What docs/reference/refused-callers.md states. */
    private static final long LARGEST_FILE = 4_000_000;

    @TempDir
    Path folder;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private RefusedCallers callers;
    private long position;

    @BeforeEach
    void open() throws IOException {
        callers = RefusedCallers.open(clock, folder);
    }

    private long now() {
        return clock.epochMicros() / TimeUnit.MINUTES.toMicros(1);
    }

    private StoredBatch batch(String node, byte[] content) {
        return new StoredBatch(++position, node, 1, position, Kind.CALLERS, 0, content);
    }

    private void send(String node, Refusals refusals) {
        callers.take(batch(node, refusals.pack()));
    }

    private void advance(Duration span) {
        for (long seconds = span.toSeconds(); seconds > 0; seconds -= 30) {
            clock.advance(Duration.ofSeconds(Math.min(30, seconds)));
            turn();
        }
    }

    private void turn() {
        callers.turn(clock.epochMicros() / 1_000);
    }

    private TopCallers top(String attributes, int minutes) {
        return callers.find(new TopQuery(
                Optional.empty(), Optional.of(attributes), now() + 1 - minutes, now() + 1, 10, rule -> true));
    }

    private Map<String, Long> byAddress(int minutes) {
        Map<String, Long> all = new HashMap<>();
        callers.find(new TopQuery(
                        Optional.empty(), Optional.of("ip"), now() + 1 - minutes, now() + 1, 10_000, rule -> true))
                .callers()
                .forEach(each -> {
                    assertThat(each.error()).isZero();
                    all.put(each.caller().masked(), each.refused());
                });
        return all;
    }

    @Test
    void theSumsOfAllNodesAreExactWhileCallersAreFew() throws IOException {
        Random random = new Random(27);
        Map<String, Long> model = new HashMap<>();
        Map<String, Long> rules = new HashMap<>();
        for (int minute = 0; minute < 50; minute++) {
            for (int node = 0; node < 3; node++) {
                Refusals sent = new Refusals(now());
                for (int i = 0; i < 20; i++) {
                    String address = "203.0." + random.nextInt(100) + ".*";
                    String rule = "rule-" + random.nextInt(5);
                    long times = 1L + random.nextInt(9);
                    sent.address(rule, address, times);
                    model.merge(address, times, Long::sum);
                    rules.merge(rule, times, Long::sum);
                }
                send("n" + node, sent);
            }
            advance(Duration.ofMinutes(1));
            if (minute % 20 == 7) {
                // A center that stops and one that is killed find the same files; the journal has the rest.
                callers.close();
                callers = RefusedCallers.open(clock, folder);
            }
        }
        assertThat(byAddress(60)).isEqualTo(model);
        TopCallers top = top("ip", 60);
        long sum = model.values().stream().mapToLong(each -> each).sum();
        assertThat(top.refused()).isEqualTo(sum);
        assertThat(top.distinct()).isEqualTo(model.size());
        assertThat(top.callers()).hasSize(10);
        assertThat(top.callers().stream().map(RefusedCaller::refused).toList())
                .isEqualTo(model.values().stream()
                        .sorted((one, other) -> Long.compare(other, one))
                        .limit(10)
                        .toList());
        RefusedRules found = callers.rules(
                new TopQuery(Optional.empty(), Optional.empty(), now() - 59, now() + 1, 10, rule -> true));
        Map<String, Long> byRule = new HashMap<>();
        found.rules().forEach(each -> byRule.put(each.rule(), each.refused()));
        assertThat(byRule).isEqualTo(rules);
        assertThat(found.refused()).isEqualTo(sum);
        assertThat(found.distinct()).isEqualTo(model.size());
    }

    @Test
    void aBatchThatComesAgainCountsOnce() throws IOException {
        StoredBatch first = batch(
                "n1", new Refusals(now()).address("login", "203.0.113.*", 3).pack());
        callers.take(first);
        assertThat(callers.needsFrom()).isEqualTo(1);
        advance(Duration.ofSeconds(30));
        assertThat(callers.needsFrom()).isEqualTo(Long.MAX_VALUE);
        StoredBatch second = batch(
                "n2", new Refusals(now()).address("login", "203.0.113.*", 4).pack());
        callers.take(second);
        assertThat(callers.needsFrom()).isEqualTo(2);
        // It is killed, and the journal gives both again.
        callers = RefusedCallers.open(clock, folder);
        callers.take(first);
        callers.take(second);
        assertThat(byAddress(60)).isEqualTo(Map.of("203.0.113.*", 7L));
        callers.close();
        callers = RefusedCallers.open(clock, folder);
        callers.take(first);
        callers.take(second);
        assertThat(byAddress(60)).isEqualTo(Map.of("203.0.113.*", 7L));
    }

    @Test
    void olderNumbersComeFromHoursAndEndAfterSevenDays() throws IOException {
        for (int i = 0; i < 60; i++) {
            send("n1", new Refusals(now()).address("login", "203.0.113.*", 2));
            advance(Duration.ofMinutes(1));
        }
        advance(Duration.ofHours(5));
        assertThat(names()).allMatch(name -> name.startsWith("hour-"));
        assertThat(byAddress(60)).isEmpty();
        TopCallers found = top("ip", 10 * 60);
        assertThat(found.callers().get(0).refused()).isEqualTo(120);
        assertThat(found.from() % 60).isZero();
        assertThat(callers.find(Refusals.hash("203.0.113.*"), now() - 600, now() + 1))
                .extracting(RefusedCaller::rule)
                .containsExactlyInAnyOrder("login", "");
        callers = RefusedCallers.open(clock, folder);
        assertThat(top("ip", 10 * 60).refused()).isEqualTo(120);
        clock.advance(Duration.ofDays(8));
        turn();
        assertThat(names()).isEmpty();
        assertThat(top("ip", 20 * 24 * 60).refused()).isZero();
    }

    @Test
    void lateDataReachesTheMinuteAndTheHour() {
        long minute = now();
        send("n1", new Refusals(minute).address("login", "203.0.113.*", 1));
        advance(Duration.ofMinutes(90));
        send("n2", new Refusals(minute).address("login", "203.0.113.*", 5));
        advance(Duration.ofMinutes(1));
        assertThat(byAddress(120)).isEqualTo(Map.of("203.0.113.*", 6L));
        advance(Duration.ofHours(4));
        assertThat(top("ip", 10 * 60).refused()).isEqualTo(6);
        send("n2", new Refusals(minute).address("login", "203.0.113.*", 5));
        assertThat(callers.late()).isEqualTo(1);
        assertThat(top("ip", 10 * 60).refused()).isEqualTo(6);
    }

    @Test
    void aClockThatIsWrongIsCorrected() {
        Refusals sent = new Refusals(now() - 1_000).address("login", "203.0.113.*", 5);
        callers.take(new StoredBatch(
                ++position, "n1", 1, 1, Kind.CALLERS, TimeUnit.MINUTES.toMillis(1_000) + 3_000, sent.pack()));
        assertThat(byAddress(1)).isEqualTo(Map.of("203.0.113.*", 5L));
        send("n1", new Refusals(now() + 10_000).address("login", "203.0.113.*", 5));
        assertThat(callers.late()).isEqualTo(1);
    }

    @Test
    void manyCallersAreCountedWithinTheErrorThatIsTold() {
        int refusals = SeededRandom.scaled(5_000, 20_000);
        Random random = new Random(7);
        Map<String, Long> model = new HashMap<>();
        for (int minute = 0; minute < 5; minute++) {
            for (int node = 0; node < 3; node++) {
                Refusals sent = new Refusals(now());
                for (int i = 0; i < refusals; i++) {
                    int number = random.nextInt(10) == 0 ? random.nextInt(5) : random.nextInt(100_000);
                    String address = number / 250 + "." + number % 250 + ".0.*";
                    sent.address("login", address, 1);
                    model.merge(address, 1L, Long::sum);
                }
                send("n" + node, sent);
            }
            advance(Duration.ofMinutes(1));
        }
        TopCallers found = top("ip", 60);
        assertThat(found.refused()).isEqualTo(15L * refusals);
        assertThat(found.callers().subList(0, 5)).allSatisfy(each -> {
            long truth = model.get(each.caller().masked());
            assertThat(each.refused()).isGreaterThanOrEqualTo(truth);
            assertThat(each.refused() - each.error()).isLessThanOrEqualTo(truth);
            assertThat(truth).isGreaterThan(refusals / 5);
        });
        assertThat(found.distinct()).isBetween(model.size() * 8L / 10, model.size() * 12L / 10);
    }

    @Test
    void aFileHasABoundAndTheRestIsCounted() throws IOException {
        int nodes = SeededRandom.scaled(7, 20);
        // Each node with 200 groups of its own and 100 callers in each of them.
        long refused = 0;
        for (int node = 0; node < nodes; node++) {
            Refusals sent = new Refusals(now());
            for (int group = 0; group < 200; group++) {
                for (int i = 0; i < 90; i++) {
                    CallerMark caller = Refusals.caller("u****" + node + "-" + group + "-" + i);
                    sent.add("rule-" + node + "-" + group, "limit", "user", caller, 1 + node);
                    refused += 1 + node;
                }
            }
            sent.add("", "", "user", Refusals.caller("u****86"), 1);
            send("n" + node, sent);
        }
        advance(Duration.ofMinutes(1));
        assertThat(largest()).isLessThan(LARGEST_FILE);
        TopCallers found = callers.find(
                new TopQuery(Optional.empty(), Optional.empty(), now() - 5, now() + 1, 100_000, rule -> true));
        assertThat(found.refused() + found.dropped()).isEqualTo(refused);
        assertThat(found.dropped()).isPositive();
        assertThat(found.callers().size()).isLessThanOrEqualTo(CallerGroups.MOST_CALLERS);
        // The groups with the most refusals stay.
        assertThat(found.callers()).allMatch(each -> each.refused() >= nodes - 4);
        assertThat(top("user", 5).callers().get(0).refused()).isEqualTo(nodes);
    }

    /** The page states how large files are; this writes such files. */
    @Test
    void filesAreNotLargerThanThePageSays() throws IOException {
        String page = Files.readString(Path.of("../docs/reference/refused-callers.md"));
        List<MatchResult> rows = Pattern.compile(
                        "(?m)^\\| ([0-9,]+) \\| ([0-9,]+) \\| ([0-9.]+) MB \\| ([0-9.]+) GB \\|$")
                .matcher(page)
                .results()
                .toList();
        assertThat(rows).hasSize(3);
        // In the short form, not the largest.
        List<MatchResult> written = SeededRandom.sample(rows, 2);
        int found = 0;
        for (MatchResult row : written) {
            int groups = Integer.parseInt(row.group(1).replace(",", ""));
            int each = Integer.parseInt(row.group(2).replace(",", ""));
            double megabytes = Double.parseDouble(row.group(3));
            advance(Duration.ofMinutes(5));
            Set<String> before = new HashSet<>(names());
            for (int node = 0; node < 5; node++) {
                for (int part = 0; part < groups; part += 200) {
                    Refusals sent = new Refusals(now());
                    for (int group = part; group < Math.min(groups, part + 200); group++) {
                        for (int i = 0; i < each / 5; i++) {
                            CallerMark caller = Refusals.caller("a****" + group % 90 + "," + node + "****" + i);
                            sent.add("rule-number-" + group, "per-user-and-tenant", "tenant,user", caller, 1 + i);
                        }
                    }
                    send("n" + node, sent);
                }
            }
            advance(Duration.ofSeconds(30));
            for (String name : names()) {
                if (!before.contains(name)) {
                    assertThat(Files.size(folder.resolve(name)) / 1e6)
                            .as(groups + " groups of " + each)
                            .isBetween(megabytes / 3, megabytes);
                    found++;
                }
            }
            // Minutes of three hours, and hours of seven days.
            assertThat(megabytes * (180 + 7 * 24) / 1e3).isLessThanOrEqualTo(Double.parseDouble(row.group(4)));
        }
        assertThat(found).isEqualTo(written.size());
    }

    @Test
    void tenantsAreSummedUp() throws IOException {
        send("n1", new Refusals(now()).tenant("a****me", 10, 3));
        send("n2", new Refusals(now()).tenant("a****me", 20, 4).tenant("g****ex", 1, 0));
        advance(Duration.ofMinutes(3));
        callers = RefusedCallers.open(clock, folder);
        List<RefusedMinute.Tenant> tenants = callers.tenants(now() - 10, now() + 1);
        assertThat(tenants).hasSize(2);
        assertThat(tenants).anySatisfy(each -> {
            assertThat(each.tenant().masked()).isEqualTo("a****me");
            assertThat(each.figures().allowed()).isEqualTo(30);
            assertThat(each.figures().refused()).isEqualTo(7);
        });
    }

    @Test
    void aCallerThatIsHiddenNowIsHidden() {
        String hash = Refusals.hash("u-17");
        send("n1", new Refusals(now()).add("login", "login.0", "user", new CallerMark("u****17", hash), 2));
        send("n2", new Refusals(now()).add("login", "login.0", "user", new CallerMark("", hash), 3));
        RefusedCaller found = callers.top(
                        new TopQuery(Optional.of("login"), Optional.empty(), now() - 1, now() + 1, 10, rule -> true))
                .get(0);
        assertThat(found.refused()).isEqualTo(5);
        assertThat(found.caller()).isEqualTo(new CallerMark("", hash));
        assertThat(found.caller().shown()).isEqualTo("#" + hash.substring(0, 8));
    }

    @Test
    void somebodyWithSomeRulesSeesTheCallersOfThese() {
        send(
                "n1",
                new Refusals(now())
                        .address("acme", "203.0.113.*", 2)
                        .address("acme-2", "203.0.113.*", 3)
                        .address("globex", "198.51.100.*", 9));
        TopCallers found = callers.find(new TopQuery(
                Optional.empty(), Optional.of("ip"), now() - 1, now() + 1, 10, rule -> rule.startsWith("acme")));
        assertThat(found.callers()).hasSize(1);
        assertThat(found.callers().get(0).refused()).isEqualTo(5);
        assertThat(found.callers().get(0).rule()).isEmpty();
        assertThat(found.refused()).isEqualTo(5);
        assertThat(found.distinct()).isEqualTo(1);
    }

    @Test
    void damagedBatchesBreakNothing() {
        send("n1", new Refusals(now()).address("login", "203.0.113.*", 3));
        byte[] good = new Refusals(now())
                .address("login", "<img src=x onerror=alert(1)>", 3)
                .pack();
        Random random = new Random(3);
        int refused = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] bad = good.clone();
            for (int flip = 0; flip < 3; flip++) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            try {
                callers.take(batch("evil", bad));
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
        for (int length = 0; length < good.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(good, length);
            assertThatThrownBy(() -> callers.take(batch("evil", cut))).isInstanceOf(IllegalArgumentException.class);
        }
        advance(Duration.ofMinutes(1));
        assertThat(callers.find(Refusals.hash("203.0.113.*"), now() - 5, now() + 1))
                .anyMatch(each ->
                        each.refused() - each.error() == 3 && each.rule().equals("login"));
    }

    @Test
    void namesHashesAndNumbersOfNodesAreChecked() {
        PackWriter million = new PackWriter().number(1).number(now()).number(1_000_000);
        for (int i = 0; i < 500_000; i++) {
            million.text("").text("").text("").number(0).bytes(new byte[0]).bytes(new byte[0]);
        }
        List<byte[]> bad = new ArrayList<>();
        bad.add(million.toBytes());
        for (String hash :
                List.of("", "short", "a".repeat(42), "a".repeat(44), "a".repeat(42) + "!", "a".repeat(5_000))) {
            bad.add(group("login", "login.0", "ip", 1, new CallerMark("x", hash), 1));
        }
        bad.add(group("x".repeat(301), "l", "ip", 1, Refusals.caller("x"), 1));
        bad.add(group("x\ny", "l", "ip", 1, Refusals.caller("x"), 1));
        bad.add(group("login", "l\u0007", "ip", 1, Refusals.caller("x"), 1));
        bad.add(group("login", "l", "\u202eip", 1, Refusals.caller("x"), 1));
        bad.add(group("", "", "password", 1, Refusals.caller("x"), 1));
        bad.add(group("login", "l", "ip", 1, Refusals.caller("x".repeat(1_001)), 1));
        bad.add(group("login", "l", "ip", 1L << 40, Refusals.caller("x"), 1));
        bad.add(group("login", "l", "ip", 1, Refusals.caller("x"), 1L << 40));
        for (byte[] each : bad) {
            assertThatThrownBy(() -> callers.take(batch("evil", each))).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(byAddress(5)).isEmpty();
        callers.take(batch("n1", group("login", "l", "ip", 1, Refusals.caller("<b>\u0007\u202e"), 1)));
        assertThat(callers.top(new TopQuery(
                                Optional.of("login"), Optional.empty(), now() - 1, now() + 1, 10, rule -> true))
                        .get(0)
                        .caller()
                        .masked())
                .isEqualTo("<b>??");
    }

    private byte[] group(String rule, String limit, String by, long refused, CallerMark caller, long times) {
        FrequentCallers frequent = new FrequentCallers(128);
        frequent.add(caller, times);
        return new RefusedMinute(
                        now(),
                        List.of(new RefusedMinute.Group(
                                rule, limit, by, refused, frequent.toBytes(), new DistinctCallers().toBytes())),
                        List.of())
                .toBytes();
    }

    @Test
    void anErasedCallerIsNowhere() throws IOException {
        String hash = Refusals.hash("203.0.113.*");
        long begin = now();
        for (int i = 0; i < 100; i++) {
            send(
                    "n1",
                    new Refusals(now())
                            .address("login", "203.0.113.*", 2)
                            .address("login", "198.51.100.*", 1)
                            .tenant("203.0.113.*", 1, 1));
            advance(Duration.ofMinutes(1));
        }
        assertThat(names()).anyMatch(name -> name.startsWith("hour-"));
        send("n1", new Refusals(now()).address("login", "203.0.113.*", 2));
        assertThat(filesWith(hash)).isNotEmpty();
        long removed = callers.erasable().erase(Set.of(hash, "not a hash"));
        assertThat(removed).isGreaterThanOrEqualTo(300);
        assertThat(filesWith(hash)).isEmpty();
        assertThat(filesWith("203.0.113")).isEmpty();
        assertThat(callers.needsFrom()).isEqualTo(Long.MAX_VALUE);
        assertThat(callers.find(hash, begin, now() + 1)).isEmpty();
        assertThat(callers.tenants(begin, now() + 1)).isEmpty();
        // What was on its way is erased too, and what comes later is a new request.
        send("n2", new Refusals(now()).address("login", "203.0.113.*", 2));
        assertThat(callers.find(hash, begin, now() + 1)).isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(filesWith(hash)).isEmpty();
        assertThat(byAddress(180)).isEqualTo(Map.of("198.51.100.*", 100L));
        send("n2", new Refusals(now()).address("login", "203.0.113.*", 2));
        assertThat(byAddress(180)).containsEntry("203.0.113.*", 2L);
    }

    @Test
    void aDamagedFileIsNotFatal() throws IOException {
        send("n1", new Refusals(now()).address("login", "203.0.113.*", 2));
        advance(Duration.ofMinutes(5));
        send("n1", new Refusals(now()).address("login", "203.0.113.*", 3));
        advance(Duration.ofMinutes(5));
        Path first = folder.resolve(names().get(0));
        byte[] bytes = Files.readAllBytes(first);
        bytes[bytes.length / 2] ^= 1;
        Files.write(first, bytes);
        Files.writeString(folder.resolve("minute-7.new"), "cut off");
        callers = RefusedCallers.open(clock, folder);
        assertThat(byAddress(60)).isEqualTo(Map.of("203.0.113.*", 3L));
        advance(Duration.ofHours(4));
        assertThat(top("ip", 600).refused()).isEqualTo(3);
    }

    @Test
    void whatCannotBeWrittenStaysInTheJournal() throws IOException {
        send("n1", new Refusals(now()).address("login", "203.0.113.*", 2));
        Path inTheWay = folder.resolve("minute-" + now() + ".new");
        Files.createDirectory(inTheWay);
        advance(Duration.ofMinutes(1));
        assertThat(callers.needsFrom()).isEqualTo(1);
        assertThat(callers.problem()).isPresent();
        assertThatThrownBy(() -> callers.erasable().erase(Set.of(Refusals.hash("203.0.113.*"))))
                .isInstanceOf(IOException.class);
        Files.delete(inTheWay);
        advance(Duration.ofMinutes(1));
        assertThat(callers.needsFrom()).isEqualTo(Long.MAX_VALUE);
        assertThat(callers.problem()).isEmpty();
        assertThat(byAddress(60)).isEqualTo(Map.of("203.0.113.*", 2L));
    }

    private List<String> names() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> filesWith(String text) throws IOException {
        List<String> found = new ArrayList<>();
        for (String name : names()) {
            if (Files.readString(folder.resolve(name), StandardCharsets.ISO_8859_1)
                    .contains(text)) {
                found.add(name);
            }
        }
        return found;
    }

    private long largest() throws IOException {
        long largest = 0;
        for (String name : names()) {
            largest = Math.max(largest, Files.size(folder.resolve(name)));
        }
        return largest;
    }
}
